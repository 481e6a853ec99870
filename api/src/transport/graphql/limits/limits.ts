/** Bounds of every request, over HTTP and WebSocket alike. Raising one costs time of the one thread that serves all. */
export interface GraphqlLimits {
  /** Tokens of a document, counted while it is parsed and before anything else looks at it. */
  readonly tokens: number;
  /** Levels of fields, fragments followed. */
  readonly depth: number;
  /** The same below `__schema` and `__type`, where tools nest list and non-null types. */
  readonly introspectionDepth: number;
  /** Aliases of an operation, fragments followed: each can ask for the same again. */
  readonly aliases: number;
  readonly rootFields: number;
  /** Fields of the whole document, fragments followed. */
  readonly fields: number;
  /** Pairs of fields at the same place of an answer, which validation compares: 100 times the same field make 4,950. */
  readonly comparisons: number;
  /** Fragment spreads, which validation compares pair by pair. */
  readonly spreads: number;
  /** Fields that an answer can have, about: a page counts as many times as it has items, another list as five. */
  readonly cost: number;
  /** Bytes of the variables as JSON. */
  readonly variableBytes: number;
  /** Bytes of an HTTP body, and of a WebSocket message after authentication. */
  readonly bodyBytes: number;
}

export const LIMITS: GraphqlLimits = {
  tokens: 2_000,
  depth: 10,
  introspectionDepth: 16,
  aliases: 30,
  rootFields: 20,
  fields: 1_000,
  comparisons: 5_000,
  spreads: 100,
  cost: 50_000,
  variableBytes: 65_536,
  bodyBytes: 1_048_576,
};

/** Bounds of a WebSocket. */
export interface SocketLimits {
  /** Bytes that a client may send before it is authenticated. */
  readonly bytesBeforeInit: number;
  /** ms until `connection_init` must have come. */
  readonly initTimeoutMs: number;
  /** Operations at once, subscriptions included. */
  readonly operations: number;
  /** Beyond so many bytes that wait to be read, streams are not asked for more. */
  readonly waitingBytes: number;
  /** How long so many bytes may wait to be read before the socket is closed. */
  readonly stalls: readonly { readonly bytes: number; readonly ms: number }[];
  /** How often a client is asked whether it lives, in ms; one that says nothing until the next time is gone. */
  readonly pingMs: number;
}

export const SOCKET_LIMITS: SocketLimits = {
  bytesBeforeInit: 4_096,
  initTimeoutMs: 5_000,
  operations: 100,
  waitingBytes: 262_144,
  stalls: [
    { bytes: 4_194_304, ms: 10_000 },
    { bytes: 262_144, ms: 60_000 },
  ],
  pingMs: 30_000,
};
