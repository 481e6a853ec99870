import { afterAll, beforeAll, expect, it } from 'vitest';
import { GraphqlTestServer } from './testing.js';

const QUERY = '{ auditHealth { alarm { reason since dropped } dropped bytesPending loaderFailure chainFault } }';

let server: GraphqlTestServer;

beforeAll(async () => {
  server = await GraphqlTestServer.open();
});
afterAll(() => server.close());

it('says that all is well, and what is wrong', async () => {
  expect(await server.ask(QUERY)).toEqual({
    alarm: null,
    dropped: 0,
    bytesPending: 0,
    loaderFailure: null,
    chainFault: null,
  });
  server.auditHealth = {
    alarm: {
      reason: 'ENOSPC: no space left on device, write',
      since: new Date('2026-03-04T05:06:07.089Z'),
      dropped: 2,
    },
    dropped: 5_000_000_000,
    bytesPending: 7,
    loaderFailure: 'Postgres does not answer',
    chainFault: 'entry 7 is gone',
  };
  expect(await server.ask(QUERY)).toEqual({
    alarm: { reason: 'ENOSPC: no space left on device, write', since: '2026-03-04T05:06:07.089Z', dropped: 2 },
    dropped: 5_000_000_000,
    bytesPending: 7,
    loaderFailure: 'Postgres does not answer',
    chainFault: 'entry 7 is gone',
  });
});

it('is for those who may read the audit of all namespaces', async () => {
  await server.namespace('shop');
  const { secret } = await server.appToken('shop', 'ADMIN');
  expect(await server.fail(QUERY, {}, secret)).toMatchObject({ extensions: { code: 'DENIED' } });
});
