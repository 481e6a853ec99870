/**
 * Settings of the console's server, read from the environment when it starts.
 *
 * @typedef {{ host: string, port: number, api: URL, trustedProxies: string[] }} ConsoleSettings
 * @param {Record<string, string | undefined>} env
 * @returns {ConsoleSettings}
 * @throws {Error} that lists every faulty setting at once
 */
export function readSettings(env) {
  const faults = [];
  const host = env.REACH_HOST?.trim() || '127.0.0.1';

  const portText = env.REACH_CONSOLE_PORT?.trim() || '3000';
  const port = Number(portText);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    faults.push(`REACH_CONSOLE_PORT: got ${JSON.stringify(portText)}, allowed are 0 to 65535 (0 takes a free port)`);
  }

  const apiText = env.REACH_API_URL?.trim() || 'http://127.0.0.1:4000';
  const api = URL.canParse(apiText) ? new URL(apiText) : undefined;
  if (api === undefined || (api.protocol !== 'http:' && api.protocol !== 'https:')) {
    faults.push(`REACH_API_URL: got ${JSON.stringify(apiText)}, allowed is an http or https address`);
  }

  if (faults.length > 0 || api === undefined) throw new Error(faults.join('\n'));
  const trustedProxies = (env.REACH_TRUSTED_PROXIES ?? '')
    .split(',')
    .map((address) => address.trim())
    .filter((address) => address !== '');
  return { host, port, api, trustedProxies };
}
