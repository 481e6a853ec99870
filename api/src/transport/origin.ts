import type { IncomingHttpHeaders } from 'node:http';
import type { Settings } from '../settings.js';

/** The settings that say where people reach the product; ports as they are really listened on. */
export type OriginSettings = Pick<Settings, 'host' | 'port' | 'consolePort' | 'publicUrl'>;

interface RequestHead {
  readonly headers: IncomingHttpHeaders;
}

/**
 * `ALLOWED`: a page of ours. `FOREIGN`: some other page, to be refused whatever credential it has. `ABSENT`: no page of
 * a browser, or a browser's plain navigation; only a credential that the request itself carries counts then.
 */
export type OriginVerdict = 'ALLOWED' | 'ABSENT' | 'FOREIGN';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'] as const;

/** Judges the Origin header of a request or upgrade. */
export function originVerdict(settings: OriginSettings, { headers }: RequestHead): OriginVerdict {
  const { origin } = headers;
  if (origin === undefined) return 'ABSENT';
  const url = parseOrigin(origin);
  if (url === undefined) return 'FOREIGN';
  if (settings.publicUrl !== undefined && url.origin === new URL(settings.publicUrl).origin) return 'ALLOWED';
  if (configured(settings).has(hostAndPort(url))) return 'ALLOWED';
  if (settings.publicUrl !== undefined || isLoopback(settings.host)) return 'FOREIGN';
  // Reachable under names that no setting lists: the page must come from the host that the browser asked for. No
  // stranger's page can choose that header for its own requests, so where it comes from needs no further trust.
  const asked = first(headers['x-forwarded-host']) ?? headers.host;
  return asked !== undefined && asked.toLowerCase() === url.host ? 'ALLOWED' : 'FOREIGN';
}

/**
 * Whether cookies of a request count: with an allowed Origin, or, without one, when the browser says that our own page
 * or the person at the keyboard made it (`Sec-Fetch-Site`, which pages cannot set).
 */
export function cookiesCount(settings: OriginSettings, req: RequestHead): boolean {
  const verdict = originVerdict(settings, req);
  if (verdict !== 'ABSENT') return verdict === 'ALLOWED';
  const site = req.headers['sec-fetch-site'];
  return site === 'same-origin' || site === 'none';
}

/** Whether an address to listen on can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function configured({ host, port, consolePort }: OriginSettings): ReadonlySet<string> {
  const own = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host.toLowerCase();
  const hosts = isLoopback(host) ? [own, ...LOOPBACK] : [own];
  return new Set(hosts.flatMap((name) => [`${name}:${port}`, `${name}:${consolePort}`]));
}

function parseOrigin(origin: string): URL | undefined {
  if (!URL.canParse(origin)) return undefined;
  const url = new URL(origin);
  return (url.protocol === 'http:' || url.protocol === 'https:') && url.origin === origin.toLowerCase()
    ? url
    : undefined;
}

function hostAndPort(url: URL): string {
  return `${url.hostname}:${url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : url.port}`;
}

function first(value: string | string[] | undefined): string | undefined {
  const text = Array.isArray(value) ? value[0] : value;
  return text?.split(',', 1)[0]?.trim();
}
