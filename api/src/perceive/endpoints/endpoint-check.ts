import {
  type CapabilityDeclaration,
  type FieldFault,
  numberIn,
  oneOf,
  optional,
  pattern,
  shapeFaults,
  text,
  wholeNumber,
} from '@agent-reach/sdk/protocol';
import type { HttpEndpoint } from '../model.js';
import { mayPass } from './reserved-headers.js';

/** An endpoint as a descriptor declares it. */
export type EndpointDeclaration = Pick<HttpEndpoint, 'url'> & Partial<HttpEndpoint>;

/** What a descriptor may leave out. */
export const ENDPOINT_DEFAULTS = {
  instance: 'endpoint',
  maxConcurrency: 5,
  maxTasks: 2,
  healthPath: '/health',
  encoding: 'JSON',
  probeIntervalMs: 10_000,
  probeTimeoutMs: 2_000,
} as const;

const SHAPE = {
  url: text(1, 2_000),
  healthPath: optional(
    pattern(/^\/[\x21\x22\x24-\x5b\x5d-\x7e]{0,999}$/, 'a path such as /health, 1,000 characters at most'),
  ),
  encoding: optional(oneOf('JSON', 'FORM')),
  probeIntervalMs: optional(wholeNumber(1_000, 3_600_000)),
  // Short, since probes have a bounded number of places, and silent endpoints must not hold them all.
  probeTimeoutMs: optional(numberIn(100, 10_000)),
};

/** The faults of an endpoint's form, each with its path. Where it leads is for the guard that connects. */
export function endpointFaults(endpoint: unknown): FieldFault[] {
  const faults = shapeFaults(endpoint, SHAPE, 'endpoint');
  if (faults.length > 0) return faults;
  const { probeIntervalMs, probeTimeoutMs } = endpointOf(endpoint as EndpointDeclaration);
  if (probeTimeoutMs <= probeIntervalMs) return [];
  const allowed = `at most probeIntervalMs, which is ${probeIntervalMs}`;
  return [{ path: 'endpoint.probeTimeoutMs', got: String(probeTimeoutMs), allowed }];
}

/** A declared endpoint that has no fault, with everything defaulted. */
export function endpointOf(declared: EndpointDeclaration): HttpEndpoint {
  const { healthPath, encoding, probeIntervalMs, probeTimeoutMs } = ENDPOINT_DEFAULTS;
  return {
    url: declared.url,
    healthPath: declared.healthPath ?? healthPath,
    encoding: declared.encoding ?? encoding,
    probeIntervalMs: declared.probeIntervalMs ?? probeIntervalMs,
    probeTimeoutMs: declared.probeTimeoutMs ?? Math.min(probeTimeoutMs, declared.probeIntervalMs ?? probeIntervalMs),
  };
}

/** What capabilities of an endpoint want passed on and HTTP can't. */
export function headerFaults(capabilities: readonly Pick<CapabilityDeclaration, 'headers'>[]): FieldFault[] {
  return capabilities.flatMap(({ headers = [] }, index) =>
    headers
      .map((name, at) => ({ name, path: `capabilities.${index}.headers.${at}` }))
      .filter(({ name }) => !mayPass(name))
      .map(({ name, path }) => ({
        path,
        got: JSON.stringify(name).slice(0, 80),
        allowed: 'a header in lower case that neither HTTP itself nor Agent-Reach uses',
      })),
  );
}
