/** The http address under which what listens on `host` and `port` can be reached from this machine. */
export function localUrl(host: string, port: number): string {
  // A wildcard is an address to listen on, not one to go to.
  const target = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${target.includes(':') ? `[${target}]` : target}:${port}`;
}
