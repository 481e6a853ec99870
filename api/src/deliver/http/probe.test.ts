import { afterEach, describe, expect, it } from 'vitest';
import { endpointOf } from '../../perceive/endpoints/endpoint-check.js';
import { EgressGuard } from '../egress.js';
import { HttpProbe } from './probe.js';
import { type Answering, TestEndpoint } from './testing.js';

const stops: (() => void)[] = [];

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

async function probe(answer: Answering, guard = new EgressGuard({ allow: [], loopback: true }), host = '127.0.0.1') {
  const agent = await TestEndpoint.start(answer);
  const prober = new HttpProbe(guard);
  stops.push(
    () => agent.stop(),
    () => prober.stop(),
  );
  const url = `${agent.url.replace('127.0.0.1', host)}/orders?x=1`;
  const result = await prober.probe(endpointOf({ url, healthPath: '/health?deep=1', probeTimeoutMs: 300 }));
  return { agent, result };
}

describe('a probe', () => {
  it('is good when the health path answers 2xx, and asks nothing else', async () => {
    const { agent, result } = await probe((_seen, response) => response.writeHead(204).end());
    expect(result).toEqual({ ok: true });
    expect(agent.seen.map(({ request }) => `${request.method} ${request.url}`)).toEqual(['GET /health?deep=1']);
    expect(agent.seen[0]?.request.headers.connection).toBe('close');
  });

  it('is good however much the health path says', async () => {
    expect((await probe((_seen, response) => response.end('x'.repeat(200_000)))).result).toEqual({ ok: true });
  });

  it('fails when the answer does not end in time', async () => {
    const { result } = await probe((_seen, response) => response.write('{'));
    expect(result).toEqual({ ok: false, reason: '/health?deep=1 did not answer within 300 ms' });
  });

  it('fails when the connection is cut', async () => {
    const { result } = await probe((seen) => seen.request.socket.destroy());
    expect(result).toEqual({ ok: false, reason: "/health?deep=1 can't be reached: other side closed" });
  });

  it('connects nowhere that the settings do not allow, by number or by name', async () => {
    const resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
    const strict = () => new EgressGuard({ allow: [], loopback: false, resolve });
    for (const host of ['127.0.0.1', 'agent.test']) {
      const { agent, result } = await probe((_seen, response) => response.end(), strict(), host);
      expect(result).toMatchObject({ ok: false, reason: expect.stringContaining('REACH_EGRESS_ALLOW') });
      expect(agent.connections).toBe(0);
    }
  });
});
