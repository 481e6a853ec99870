import { BlockList, isIP } from 'node:net';

/**
 * What an address is to a server that connects where strangers tell it to.
 * NEVER: nobody has a service there that is meant for others, and cloud providers keep their secrets there.
 * INNER: somebody's own network, this machine included; only where it is allowed by a setting.
 */
export type AddressKind = 'PUBLIC' | 'INNER' | 'LOOPBACK' | 'NEVER';

/** Link-local and metadata addresses, "this host", multicast, broadcast and reserved ones (RFC 6890 and providers' docs). */
const NEVER = blockList([
  '0.0.0.0/8',
  '169.254.0.0/16',
  // Metadata and host services that stand outside the link-local range: Alibaba, Oracle, Azure.
  '100.100.100.200/32',
  '192.0.0.192/32',
  '168.63.129.16/32',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/128',
  'fe80::/10',
  'ff00::/8',
  // Metadata of AWS and of Google over IPv6.
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
  // Relays of 6to4 (RFC 7526), which is not used any more.
  '192.88.99.0/24',
  // Of the IETF's own protocols. Teredo is among them: it hides another address inside, and is not used any more.
  '2001::/23',
  // Local NAT64 (RFC 8215): where the address inside begins depends on the network.
  '64:ff9b:1::/48',
]);

/** Names of metadata services. Where they mean something they lead to refused addresses; elsewhere nobody knows them. */
const METADATA_NAMES = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'instance-data',
  'instance-data.ec2.internal',
]);

const LOOPBACK = blockList(['127.0.0.0/8', '::1/128']);

const INNER = blockList([
  '10.0.0.0/8',
  '100.64.0.0/10',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  'fc00::/7',
  'fec0::/10',
  '2001:db8::/32',
  '3fff::/20',
]);

/** Of all other IPv6 addresses nobody has one that may be reached from outside (IANA: the only global unicast space). */
const GLOBAL = blockList(['2000::/3']);

/** Prefixes of IPv6 addresses that only carry an IPv4 address, and the bit at which it begins. */
const CARRIERS: readonly { readonly list: BlockList; readonly at: number }[] = [
  // Mapped, compatible (deprecated), translated (SIIT), NAT64, 6to4.
  { list: blockList(['::ffff:0:0/96', '::/96', '::ffff:0:0:0/96', '64:ff9b::/96']), at: 96 },
  { list: blockList(['2002::/16']), at: 16 },
];

/** Reads `networks` of the settings: addresses and CIDR ranges. */
export function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    list.addSubnet(address, prefix === undefined ? (family === 'ipv4' ? 32 : 128) : Number(prefix), family);
  }
  return list;
}

/** Whether an address, or the IPv4 address that it carries, is in a list. */
export function isIn(list: BlockList, address: string): boolean {
  const bare = bareAddress(address);
  return list.check(bare, isIP(bare) === 6 ? 'ipv6' : 'ipv4');
}

/** Whether a host, as the URL parser writes it, is the name of a metadata service. */
export function isMetadataName(host: string): boolean {
  return METADATA_NAMES.has(host.replace(/\.+$/, ''));
}

/** `address` is one that `isIP` knows; anything else is NEVER. */
export function addressKind(address: string): AddressKind {
  const bare = bareAddress(address);
  if (isIP(bare) === 0 || isIn(NEVER, bare) || isIsatap(bare)) return 'NEVER';
  if (isIn(LOOPBACK, bare)) return 'LOOPBACK';
  if (isIn(INNER, bare)) return 'INNER';
  return isIP(bare) === 6 && !isIn(GLOBAL, bare) ? 'NEVER' : 'PUBLIC';
}

/** Whether its second half is a tunnel to an IPv4 address (ISATAP, RFC 5214), which is not used any more either. */
function isIsatap(address: string): boolean {
  if (isIP(address) !== 6) return false;
  const [universal = 0, mark] = groupsOf(address).slice(4);
  return mark === 0x5efe && (universal & ~0x0200) === 0;
}

/** Without a zone, and as IPv4 where that is what an IPv6 address carries. */
function bareAddress(address: string): string {
  const bare = address.replace(/%.*$/, '');
  if (isIP(bare) !== 6) return bare;
  const groups = groupsOf(bare);
  // Neither of these two carries anything.
  if (groups.slice(0, 7).every((group) => group === 0) && (groups[7] ?? 0) < 2) return bare;
  const carrier = CARRIERS.find(({ list }) => list.check(bare, 'ipv6'));
  if (carrier === undefined) return bare;
  const [high = 0, low = 0] = groups.slice(carrier.at / 16);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The eight groups of an IPv6 address. The URL parser writes it in its one canonical form, dotted tails included. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const parse = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  if (tail === undefined) return parse(head);
  const [before, after] = [parse(head), parse(tail)];
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
}
