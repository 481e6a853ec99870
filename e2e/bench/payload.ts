/** Characters of each call's parameter, and of each result. */
export const PAYLOAD_BYTES = 200;

export const PAYLOAD = 'x'.repeat(PAYLOAD_BYTES);

/** The namespace that the bench works in. */
export const NAMESPACE = 'bench';

/** What the bare agents offer. */
export const CAPABILITY = 'bench_echo';

/** What the bare agents offer that is not idempotent: each call needs a durable claim and a durable result. */
export const DURABLE_CAPABILITY = 'bench_echo_once';

/** What the agents that use the SDK offer. */
export const SDK_CAPABILITY = 'bench_echo_sdk';

/** The callers' connections: one for every ten calls in flight, at most ten. */
export const MAX_CONNECTIONS = 10;

export const connectionsFor = (inFlight: number): number => Math.min(MAX_CONNECTIONS, Math.ceil(inFlight / 10));
