import type { CallFrame } from '@agent-reach/sdk/protocol';
import { WireClient } from '../../support/wire-client.js';

type CallBody = Omit<CallFrame, 'type'>;

/** Makes a call on a connection of its own; answers `OK` or the error code. */
export async function askBySocket(apiUrl: string, token: string, body: CallBody): Promise<string> {
  const client = await WireClient.hello(apiUrl, token);
  client.send({ type: 'call', ...body });
  const reply = await client.next('reply');
  await client.close();
  return reply.ok ? 'OK' : reply.error.code;
}

/** Makes a call by `POST /v1/call`; answers `OK` or the error code. */
export async function askByHttp(apiUrl: string, token: string, body: CallBody): Promise<string> {
  const response = await fetch(`${apiUrl}/v1/call`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { readonly ok?: boolean; readonly error?: { readonly code: string } };
  return answer.ok === true ? 'OK' : (answer.error?.code ?? `HTTP ${response.status}`);
}

/** Makes a call whose caller never hears of it; the returned function makes the caller disappear. */
export async function callAndVanish(apiUrl: string, token: string, body: CallBody): Promise<() => void> {
  const client = await WireClient.hello(apiUrl, token);
  client.send({ type: 'call', ...body });
  return () => client.socket.terminate();
}
