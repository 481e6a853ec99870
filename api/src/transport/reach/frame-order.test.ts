import type { ClientFrame } from '@agent-reach/sdk/protocol';
import { describe, expect, it } from 'vitest';
import { FrameOrder } from './frame-order.js';

/** A peer whose registrations end when the test says so. */
function peer(known = true) {
  const admitted: string[] = [];
  const waits: (() => void)[] = [];
  let tooMuch = 0;
  const order: FrameOrder = new FrameOrder({
    admit: (frame) => {
      admitted.push(frame.type === 'cancel' ? (frame.requestId ?? '') : frame.type);
      if (frame.type === 'register') order.while(new Promise((resolve) => waits.push(resolve)));
    },
    onTooMuch: () => {
      tooMuch++;
    },
    isKnown: () => known,
  });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return {
    order,
    admitted,
    tooMuch: () => tooMuch,
    cancel: (requestId: string, bytes = 50) => order.take({ type: 'cancel', requestId }, bytes),
    register: () => order.take({ type: 'register' } as ClientFrame, 500),
    /** The oldest registration is answered. */
    answered: async () => {
      waits.shift()?.();
      await turn();
    },
  };
}

describe('frames of one socket', () => {
  it('are admitted at once when nothing is waited for', () => {
    const { cancel, admitted } = peer();
    cancel('a');
    cancel('b');
    expect(admitted).toEqual(['a', 'b']);
  });

  it('wait behind a registration and keep their order, behind a second one too', async () => {
    const { cancel, register, admitted, answered } = peer();
    register();
    cancel('a');
    register();
    cancel('b');
    expect(admitted).toEqual(['register']);
    await answered();
    expect(admitted).toEqual(['register', 'a', 'register']);
    cancel('c');
    await answered();
    expect(admitted).toEqual(['register', 'a', 'register', 'b', 'c']);
  });

  it('are bounded in number and bytes while they wait', () => {
    const many = peer();
    many.register();
    for (let frame = 0; frame < 10_000; frame++) many.cancel('a', 1);
    expect(many.tooMuch()).toBe(0);
    many.cancel('a', 1);
    expect(many.tooMuch()).toBe(1);

    const large = peer();
    large.register();
    large.cancel('a', 4 * 1024 * 1024);
    expect(large.tooMuch()).toBe(0);
    large.cancel('a', 1);
    expect(large.tooMuch()).toBe(1);
  });

  it('of a stranger are bounded to sixteen', () => {
    const stranger = peer(false);
    stranger.register();
    for (let frame = 0; frame < 16; frame++) stranger.cancel('a');
    expect(stranger.tooMuch()).toBe(0);
    stranger.cancel('a');
    expect(stranger.tooMuch()).toBe(1);
  });

  it('are not admitted any more once the socket is gone', async () => {
    const { order, cancel, register, admitted, answered } = peer();
    register();
    cancel('a');
    order.end();
    await answered();
    expect(admitted).toEqual(['register']);
  });
});
