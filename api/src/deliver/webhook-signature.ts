import { createHmac } from 'node:crypto';
import { ENCODED_SECRET_PREFIX, type TaskView } from '@agent-reach/sdk/protocol';

/**
 * Names a message: the same at each try, another one when a task whose outcome was unknown has a real end after all.
 * Its receiver drops what it has seen before.
 */
export function webhookId({ taskId, epoch, state }: TaskView): string {
  return `task_${taskId}_${epoch}_${state.toLowerCase()}`;
}

/**
 * The headers that sign a message as the Standard Webhooks specification says (standardwebhooks.com, symmetric `v1`):
 * HMAC-SHA-256 over `id.timestamp.body`. A secret that begins with `whsec_` is base64 behind it, as the specification
 * has them; any other is used as its UTF-8 bytes.
 *
 * @param at wall clock, ms since 1970
 */
export function signedHeaders(id: string, at: number, body: string, secret: string): Record<string, string> {
  const timestamp = Math.floor(at / 1000).toString();
  const key = secret.startsWith(ENCODED_SECRET_PREFIX)
    ? Buffer.from(secret.slice(ENCODED_SECRET_PREFIX.length), 'base64')
    : Buffer.from(secret, 'utf8');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
