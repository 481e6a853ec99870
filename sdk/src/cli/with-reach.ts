import { connect, type Reach } from '../client/index.js';
import { ReachError } from '../protocol/index.js';
import type { Io } from './io.js';

/** Where the command connects, from options or environment. */
export interface Access {
  readonly url?: string;
  readonly token?: string;
}

const DEFAULT_URL = 'http://127.0.0.1:4000';

/** Connects, does the work, and closes the connection whatever happens. */
export async function withReach<T>(access: Access, io: Io, work: (reach: Reach) => Promise<T>): Promise<T> {
  const token = access.token ?? io.env.REACH_TOKEN;
  if (token === undefined || token === '')
    throw new ReachError('UNAUTHENTICATED', 'no token: set REACH_TOKEN, or give --token', {
      fields: [{ path: 'token', got: 'nothing', allowed: 'an API token, an agent token or an enrolment key' }],
    });
  const reach = connect({
    url: access.url ?? io.env.REACH_URL ?? DEFAULT_URL,
    token,
    drainOn: [],
    log: (level, message) => {
      // The final error is reported once, by whoever waits for it.
      if (level === 'warn') io.err(`reach: ${message}`);
    },
  });
  try {
    return await work(reach);
  } finally {
    await reach.close();
  }
}
