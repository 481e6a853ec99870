import { ReachError, type WireError } from '../protocol/index.js';
import { CallError } from './failures.js';

/** How calls end without an answer of the server. */
const failed = (requestId: string, code: WireError['code'], message: string, retryable: boolean) =>
  new CallError({ code, message, retryable }, { requestId, attempts: 0 });

export const connectionLost = (requestId: string) =>
  failed(
    requestId,
    'CONNECTION_LOST',
    'the connection to the server broke before the answer came, and there was no other within the time of the call; ' +
      'it may have been executed',
    true,
  );

export const overdue = (requestId: string, ms: number) =>
  failed(requestId, 'DEADLINE_EXCEEDED', `no answer within ${ms} ms`, true);

export const cancelled = (requestId: string) => failed(requestId, 'CANCELLED', 'the call was cancelled', false);

export const notConnected = (ms: number) =>
  new ReachError(
    'CONNECT_FAILED',
    ms === 0
      ? 'the time of the call was over before there was a connection to the server; it was not sent'
      : `no connection to the server within ${ms} ms; the call was not sent`,
  );
