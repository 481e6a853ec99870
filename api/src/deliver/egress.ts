import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { type ErrorCode, type FieldFault, ReachError } from '@agent-reach/sdk/protocol';
import { Agent, type Dispatcher, fetch, type RequestInit, type Response } from 'undici';
import { addressKind, blockList, isIn, isMetadataName } from './egress-addresses.js';

/** All addresses of a name. Rejects as `dns.lookup` does. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

export interface EgressOptions {
  /** Private addresses and ranges that may be connected to: the setting REACH_EGRESS_ALLOW. */
  readonly allow: readonly string[];
  /** Whether this machine's own addresses may be, as long as the server itself can only be reached from there. */
  readonly loopback: boolean;
  readonly resolve?: Resolve;
}

const NO_SETTING = 'an address of a host; no setting allows this one, REACH_EGRESS_ALLOW included';
const MAX_REDIRECTS = 3;
const CONNECT_TIMEOUT_MS = 3_000;
/** Headers that must not follow a redirect to another host. */
const CREDENTIALS = ['authorization', 'cookie', 'proxy-authorization'];

/**
 * Guards connections to addresses that strangers name: endpoints of agents, webhooks of callers. What a name means can
 * change between two look-ups, so the address is judged where the connection is made (`lookup`), and before that only
 * to tell early. A name of which one address is refused is refused whole.
 */
export class EgressGuard {
  readonly #allowed: ReturnType<typeof blockList>;
  readonly #loopback: boolean;
  readonly #resolve: Resolve;
  #agent: Agent | undefined;

  constructor(options: EgressOptions) {
    this.#allowed = blockList(options.allow);
    this.#loopback = options.loopback;
    this.#resolve = options.resolve ?? resolveAll;
  }

  /**
   * Checks the form of an address and, when it names its host by number, that number. Throws `code` with the fault at
   * `path`. To be called before each connection too, since a number is never looked up.
   */
  check(url: string, path: string, code: ErrorCode = 'INVALID_INPUT'): void {
    refuse(this.#formFault(url, path), code);
  }

  /** The fault of an address, its host's name looked up. A name that can't be looked up now is no fault. */
  async fault(url: string, path: string): Promise<FieldFault | undefined> {
    const fault = this.#formFault(url, path);
    if (fault !== undefined) return fault;
    const host = hostOf(new URL(url));
    if (isIP(host) !== 0) return undefined;
    const found = await this.#resolve(host).catch(() => []);
    return this.#addressFault(found, host, path);
  }

  /** As `check`, with the host's name looked up: for whoever is about to keep the address. */
  async checkResolved(url: string, path: string, code: ErrorCode = 'INVALID_INPUT'): Promise<void> {
    refuse(await this.fault(url, path), code);
  }

  /**
   * Looks names up for connections (`lookup` of `net.connect`): fails with INVALID_INPUT where one may not lead, with the
   * fault at `path`.
   */
  lookupFor(path: string): LookupFunction {
    return (host, options, callback) => {
      this.#resolve(host).then(
        (found) => {
          const fault = this.#addressFault(found, host, path);
          if (fault !== undefined) return callback(refusal(fault, 'INVALID_INPUT'), '', 0);
          const wanted = options.family === 4 || options.family === 6 ? options.family : undefined;
          const usable = wanted === undefined ? found : found.filter(({ family }) => family === wanted);
          const [first] = usable;
          if (first === undefined) return callback(new Error(`${host} has no address`), '', 0);
          if (options.all === true) callback(null, [...usable]);
          else callback(null, first.address, first.family);
        },
        (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), '', 0),
      );
    };
  }

  /**
   * Like the standard `fetch`, with every address on the way checked. Follows three redirects at most, and for what is
   * neither GET nor HEAD only those that repeat the request as it is (307, 308); any other answer comes back as it is.
   * Throws INVALID_INPUT for a refused address, with the fault at `path`; else what `fetch` throws. `init.redirect` and
   * `init.dispatcher` are set here; a body must be text or bytes, since it may be sent again. Connecting may take 3 s;
   * for the rest give a `signal`.
   */
  async fetch(url: string, init: Omit<RequestInit, 'redirect' | 'dispatcher'> = {}, path = 'url'): Promise<Response> {
    let target = url;
    let headers = new Headers(init.headers as ConstructorParameters<typeof Headers>[0]);
    for (let redirects = 0; ; redirects++) {
      this.check(target, path);
      const response = await this.#fetchOnce(target, { ...init, headers: [...headers] }, path);
      const next = redirectOf(response, target, init.method ?? 'GET');
      if (next === undefined) return response;
      await response.body?.cancel();
      if (redirects === MAX_REDIRECTS)
        throw new Error(`more than ${MAX_REDIRECTS} redirects from ${new URL(url).host}`);
      if (new URL(next).origin !== new URL(target).origin) {
        headers = new Headers([...headers].filter(([name]) => !CREDENTIALS.includes(name)));
      }
      target = next;
    }
  }

  /** Ends idle connections of `fetch`. */
  async close(): Promise<void> {
    await this.#agent?.destroy();
  }

  async #fetchOnce(url: string, init: RequestInit, path: string): Promise<Response> {
    this.#agent ??= new Agent({ connect: { lookup: this.lookupFor('url'), timeout: CONNECT_TIMEOUT_MS } });
    try {
      return await fetch(url, { ...init, redirect: 'manual', dispatcher: this.#agent as Dispatcher });
    } catch (error) {
      // fetch wraps what the look-up refused, and the look-up, which all requests share, doesn't know the field.
      const refused = error instanceof Error && error.cause instanceof ReachError ? error.cause.fields?.[0] : undefined;
      throw refused === undefined ? error : refusal({ ...refused, path }, 'INVALID_INPUT');
    }
  }

  #formFault(text: string, path: string): FieldFault | undefined {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const allowed = 'an http or https address such as https://agents.example.com/orders';
    if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
      return { path, got: JSON.stringify(hostPart(text)), allowed };
    }
    // Not shown: it may be a password.
    if (url.username !== '' || url.password !== '') {
      return { path, got: 'an address with a user name or password in it', allowed };
    }
    const host = hostOf(url);
    if (isMetadataName(host)) return { path, got: host, allowed: NO_SETTING };
    return isIP(host) === 0 ? undefined : this.#addressFault([{ address: host }], host, path);
  }

  #addressFault(found: readonly Pick<LookupAddress, 'address'>[], host: string, path: string): FieldFault | undefined {
    const refused = found.find(({ address }) => !this.#mayReach(address));
    if (refused === undefined) return undefined;
    const { address } = refused;
    const got = address === host ? address : `${host}, which is ${address}`;
    if (addressKind(address) === 'NEVER') {
      return { path, got, allowed: NO_SETTING };
    }
    return { path, got, allowed: 'a public address, or a private one that the setting REACH_EGRESS_ALLOW lists' };
  }

  #mayReach(address: string): boolean {
    switch (addressKind(address)) {
      case 'PUBLIC':
        return true;
      case 'NEVER':
        return false;
      case 'LOOPBACK':
        return this.#loopback || isIn(this.#allowed, address);
      case 'INNER':
        return isIn(this.#allowed, address);
    }
  }
}

/** The host as `isIP` and DNS want it: no brackets. The URL parser has made odd spellings of numbers plain. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** What may be repeated of a text that is no address: at most its scheme and host. The rest may hold secrets. */
function hostPart(text: string): string {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0] ?? '';
  const at = text.lastIndexOf('@');
  const rest = text.slice(at === -1 ? scheme.length : at + 1);
  return `${scheme}${rest.replace(/[/\\?#].*$/s, '')}`.slice(0, 80);
}

/** Where an answer sends the request on, if it is to be followed. */
function redirectOf(response: Response, from: string, method: string): string | undefined {
  const location = response.headers.get('location');
  if (location === null || !URL.canParse(location, from)) return undefined;
  const repeats = response.status === 307 || response.status === 308;
  const isRead = /^(?:get|head)$/i.test(method);
  if (!repeats && !(isRead && [301, 302, 303].includes(response.status))) return undefined;
  return new URL(location, from).href;
}

function refusal(fault: FieldFault, code: ErrorCode): ReachError {
  return new ReachError(code, `${fault.path}: got ${fault.got}, allowed: ${fault.allowed}.`, { fields: [fault] });
}

function refuse(fault: FieldFault | undefined, code: ErrorCode): void {
  if (fault !== undefined) throw refusal(fault, code);
}

function resolveAll(host: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    systemLookup(host, { all: true }, (error, addresses) => (error === null ? resolve(addresses) : reject(error)));
  });
}
