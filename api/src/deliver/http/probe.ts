import { Agent, request } from 'undici';
import type { EndpointProbe, ProbeResult } from '../../perceive/endpoints/endpoint-probe.js';
import type { HttpEndpoint } from '../../perceive/model.js';
import type { EgressGuard } from '../egress.js';

/** Bytes of a health answer that are read; what it says beyond its status is for people. */
const MAX_BYTES = 65_536;

/** Asks an endpoint's health path: GET, and 2xx in time is good. Each probe connects anew, as a new caller would. */
export class HttpProbe implements EndpointProbe {
  readonly #agent: Agent;

  constructor(private readonly guard: Pick<EgressGuard, 'check' | 'lookup'>) {
    this.#agent = new Agent({ connect: { lookup: guard.lookup } });
  }

  async probe({ url, healthPath, probeTimeoutMs }: HttpEndpoint): Promise<ProbeResult> {
    const signal = AbortSignal.timeout(probeTimeoutMs);
    try {
      this.guard.check(url, 'endpoint.url');
      const response = await request(`${new URL(url).origin}${healthPath}`, {
        dispatcher: this.#agent,
        signal,
        reset: true,
        headers: { accept: 'application/json', 'user-agent': 'agent-reach' },
      });
      await response.body.dump({ limit: MAX_BYTES, signal });
      const { statusCode } = response;
      if (statusCode >= 200 && statusCode < 300) return { ok: true };
      return { ok: false, reason: `${healthPath} answered with status ${statusCode}` };
    } catch (error) {
      if (signal.aborted) return { ok: false, reason: `${healthPath} did not answer within ${probeTimeoutMs} ms` };
      return { ok: false, reason: `${healthPath} can't be reached: ${describe(error)}` };
    }
  }

  /** Ends probes that run; they count as failed. */
  stop(): void {
    void this.#agent.destroy();
  }
}

/** When a name has several addresses, Node joins what went wrong with each. */
function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describe).join('; ').slice(0, 300);
  return (error instanceof Error ? error.message : String(error)).slice(0, 300);
}
