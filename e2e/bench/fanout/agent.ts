import { once } from 'node:events';
import { WebSocket } from 'ws';
import { CAPABILITY } from '../payload.js';

/** An agent whose socket dies, and that comes back as the same incarnation. */
export class MortalAgent {
  #socket: WebSocket | undefined;

  constructor(
    private readonly url: string,
    private readonly enrolmentKey: string,
  ) {}

  async live(): Promise<void> {
    const socket = new WebSocket(this.url, { perMessageDeflate: false });
    await once(socket, 'open');
    await ask(socket, { type: 'hello', protocol: 1, token: this.enrolmentKey, incarnation: 'mortal-0001' }, 'welcome');
    await ask(socket, REGISTER, 'registered');
    socket.send('{"type":"ready","instance":"bench/mortal/one"}');
    this.#socket = socket;
  }

  die(): void {
    this.#socket?.terminate();
  }
}

const REGISTER = {
  type: 'register',
  id: 'r',
  agent: 'mortal',
  instance: 'one',
  version: '1.0.0',
  agentType: 'bench.mortal',
  capabilities: [
    {
      name: CAPABILITY,
      description: 'Use it never; its agent only dies and comes back.',
      inputSchema: { type: 'object' },
      idempotent: true,
    },
  ],
};

/** Sends a frame and waits for one of a type. Throws what an error frame says. */
async function ask(socket: WebSocket, frame: object, type: string): Promise<void> {
  socket.send(JSON.stringify(frame));
  for (;;) {
    const [data] = (await once(socket, 'message')) as [Buffer];
    const answer = JSON.parse(data.toString()) as {
      readonly type: string;
      readonly error?: { readonly message: string };
    };
    if (answer.type === type) return;
    if (answer.type === 'error') throw new Error(answer.error?.message);
  }
}
