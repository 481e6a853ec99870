import { Agent, type Dispatcher, request } from 'undici';
import type { EndpointProbe, ProbeResult } from '../../perceive/endpoints/endpoint-probe.js';
import type { HttpEndpoint } from '../../perceive/model.js';
import type { EgressGuard } from '../egress.js';
import { healthAnswerOf } from './health-answer.js';

/** Bytes of a health answer that are read; a longer one counts by its status alone. */
const MAX_BYTES = 65_536;

/**
 * Asks an endpoint's health path: GET, and 2xx in time is good, unless its JSON says that it is not. Each probe connects
 * anew, as a new caller would, and follows no redirect.
 */
export class HttpProbe implements EndpointProbe {
  readonly #agent: Agent;

  constructor(private readonly guard: Pick<EgressGuard, 'check' | 'lookupFor'>) {
    this.#agent = new Agent({ connect: { lookup: guard.lookupFor('endpoint.url') } });
  }

  async probe({ url, healthPath, probeTimeoutMs }: HttpEndpoint): Promise<ProbeResult> {
    const signal = AbortSignal.timeout(probeTimeoutMs);
    // Reasons are for people and stay in audit, and a query may hold a secret.
    const path = healthPath.replace(/\?.*$/s, '');
    try {
      this.guard.check(url, 'endpoint.url');
      const response = await request(`${new URL(url).origin}${healthPath}`, {
        dispatcher: this.#agent,
        signal,
        reset: true,
        headers: { accept: 'application/json', 'user-agent': 'agent-reach' },
      });
      return resultOf(path, response.statusCode, await textOf(response.body));
    } catch (error) {
      if (signal.aborted) return { ok: false, reason: `${path} did not answer within ${probeTimeoutMs} ms` };
      return { ok: false, reason: `${path} can't be reached: ${describe(error)}` };
    }
  }

  /** Ends probes that run; they count as failed. */
  stop(): void {
    void this.#agent.destroy();
  }
}

function resultOf(path: string, status: number, body: string | undefined): ProbeResult {
  const { isUnwell, reason, load } = healthAnswerOf(body);
  const why = reason === '' ? '' : `: ${reason}`;
  if (status >= 300 && status < 400) {
    return { ok: false, reason: `${path} answered with a redirect (${status}), which is not followed` };
  }
  if (status < 200 || status >= 300) return { ok: false, reason: `${path} answered with status ${status}${why}` };
  if (isUnwell) return { ok: false, reason: `${path} says that it is not ok${why}` };
  return { ok: true, load };
}

/** undefined when it is too long; the rest is then not read. */
async function textOf(body: Dispatcher.ResponseData['body']): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_BYTES) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}

/** When a name has several addresses, Node joins what went wrong with each. */
function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describe).join('; ').slice(0, 300);
  return (error instanceof Error ? error.message : String(error)).slice(0, 300);
}
