import type { HttpEndpoint, LoadReport } from '../model.js';

/** How a probe went, with what the endpoint says of its load; `reason` says to a person why not. */
export type ProbeResult =
  | { readonly ok: true; readonly load: LoadReport }
  | { readonly ok: false; readonly reason: string };

/** Reaches an endpoint's health path. Implemented by deliver/http. */
export interface EndpointProbe {
  /** Ends within the endpoint's `probeTimeoutMs`; never rejects. */
  probe(endpoint: HttpEndpoint): Promise<ProbeResult>;
}
