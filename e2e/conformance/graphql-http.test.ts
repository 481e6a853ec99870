import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../support/server.js';

/** Suggestions that would open the endpoint to GET, and so to requests that other pages can forge. */
const NOT_TAKEN = ['5A70', 'D6D5', '6A70'];
/** Recommendations to answer 200 to what is no GraphQL, for clients of before `application/graphql-response+json`. */
const STATUS_400 = ['572B', 'FDE2', '7B9B'];

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

it('the endpoint passes the public audits of GraphQL over HTTP, as Apollo Server itself does', async () => {
  const authorization = `Bearer ${server.adminToken}`;
  const audits = serverAudits({
    url: `${server.apiUrl}/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) =>
      fetch(url, { ...init, headers: { ...(init.headers as Record<string, string>), authorization } }),
  });
  const results = await Promise.all(audits.map((audit) => audit.fn()));
  const failed = results.flatMap((result) => (result.status === 'ok' ? [] : [`${result.status} ${result.id}`]));
  expect(failed.sort()).toEqual([
    ...NOT_TAKEN.map((id) => `notice ${id}`).sort(),
    ...STATUS_400.map((id) => `warn ${id}`).sort(),
  ]);
  expect(results).toHaveLength(60);
}, 60_000);
