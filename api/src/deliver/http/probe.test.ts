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
    expect(result).toEqual({ ok: true, load: {} });
    expect(agent.seen.map(({ request }) => `${request.method} ${request.url}`)).toEqual(['GET /health?deep=1']);
    expect(agent.seen[0]?.request.headers.connection).toBe('close');
  });

  it('is good however much the health path says', async () => {
    for (const body of [
      'x'.repeat(200_000),
      `{"ok":false,"more":"${'x'.repeat(70_000)}"}`,
      '',
      '{',
      'null',
      '[]',
      '7',
    ]) {
      expect((await probe((_seen, response) => response.end(body))).result).toEqual({ ok: true, load: {} });
    }
  });

  it.each([
    [
      { ok: true, busy: 0.5, pool: 0, queueDepth: 3, reason: 'fine' },
      { busy: 0.5, pool: 0, queueDepth: 3 },
    ],
    [{ busy: 1 }, { busy: 1 }],
    // Words that the path had before anybody asked for load.
    [{ status: 'UP', busy: true, pool: '0.5', queueDepth: null }, {}],
    [{ busy: 1.01, pool: -0.1, queueDepth: 1.5 }, {}],
    [{ ok: 0, load: { busy: 1 } }, {}],
  ])('that says %j tells a load of %j', async (body, load) => {
    expect((await probe((_seen, response) => response.end(JSON.stringify(body)))).result).toEqual({ ok: true, load });
  });

  it.each([
    [503, '', '/health answered with status 503'],
    [500, '{"reason":"the database\\n is away"}', '/health answered with status 500: the database is away'],
    [200, '{"ok":false}', '/health says that it is not ok'],
    [200, '{"ok":false,"reason":"no disk","busy":0.1}', '/health says that it is not ok: no disk'],
    [200, `{"ok":false,"reason":"${'x'.repeat(500)}"}`, `/health says that it is not ok: ${'x'.repeat(200)}`],
    [302, '{"ok":true}', '/health answered with a redirect (302), which is not followed'],
  ])('fails at %d %s', async (status, body, reason) => {
    const location = 'http://169.254.169.254/';
    const { agent, result } = await probe((_seen, response) => response.writeHead(status, { location }).end(body));
    expect(result).toEqual({ ok: false, reason });
    expect(agent.seen).toHaveLength(1);
  });

  it.each(['//169.254.169.254/latest', '/@169.254.169.254/', '/..//metadata/', '/%2f%2fmetadata'])(
    'asks the same host for a path such as %s',
    async (healthPath) => {
      const agent = await TestEndpoint.start((_seen, response) => response.end());
      const prober = new HttpProbe(new EgressGuard({ allow: [], loopback: true }));
      stops.push(
        () => agent.stop(),
        () => prober.stop(),
      );
      expect(await prober.probe(endpointOf({ url: `${agent.url}/orders`, healthPath }))).toMatchObject({ ok: true });
      expect(`http://${agent.seen[0]?.request.headers.host}`).toBe(agent.url);
    },
  );

  it('fails when the answer does not end in time', async () => {
    const { result } = await probe((_seen, response) => response.write('{'));
    expect(result).toEqual({ ok: false, reason: '/health did not answer within 300 ms' });
  });

  it('fails when the connection is cut', async () => {
    const { result } = await probe((seen) => seen.request.socket.destroy());
    expect(result).toEqual({ ok: false, reason: "/health can't be reached: other side closed" });
  });

  it('connects nowhere that the settings do not allow, by number or by name', async () => {
    const resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
    const strict = () => new EgressGuard({ allow: [], loopback: false, resolve });
    for (const host of ['127.0.0.1', 'agent.test']) {
      const { agent, result } = await probe((_seen, response) => response.end(), strict(), host);
      const got = host === '127.0.0.1' ? host : 'agent.test, which is 127.0.0.1';
      expect(result).toEqual({
        ok: false,
        reason: `/health can't be reached: endpoint.url: got ${got}, allowed: a public address, or a private one that the setting REACH_EGRESS_ALLOW lists.`,
      });
      expect(agent.connections).toBe(0);
    }
  });
});
