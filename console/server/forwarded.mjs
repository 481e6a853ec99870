import { BlockList, isIPv6 } from 'node:net';

/**
 * Makes the function that sets `x-forwarded-*` on a request before it goes on to the API. What the client sent under
 * these names is believed only from a trusted proxy; from anybody else it is replaced by what this server sees itself.
 *
 * @param {readonly string[]} trustedProxies addresses, or ranges such as `10.0.0.0/8`
 * @returns {(request: import('node:http').IncomingMessage) => void}
 */
export function forwarder(trustedProxies) {
  const trusted = new BlockList();
  for (const entry of trustedProxies) {
    const [address = '', prefix] = entry.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (prefix === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(prefix), family);
  }

  return (request) => {
    const remote = plainAddress(request.socket.remoteAddress ?? '');
    const believed = remote !== '' && trusted.check(remote, isIPv6(remote) ? 'ipv6' : 'ipv4');
    const earlier = (name) => (believed ? single(request.headers[name]) : undefined);

    const chain = earlier('x-forwarded-for');
    request.headers['x-forwarded-for'] = chain === undefined ? remote : `${chain}, ${remote}`;
    request.headers['x-forwarded-host'] = earlier('x-forwarded-host') ?? request.headers.host ?? '';
    request.headers['x-forwarded-proto'] = earlier('x-forwarded-proto') ?? 'http';
    delete request.headers.forwarded;
  };
}

/** An IPv4 address that arrived on an IPv6 socket, in its own notation. */
function plainAddress(address) {
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
}

function single(value) {
  return Array.isArray(value) ? value.join(', ') : value;
}
