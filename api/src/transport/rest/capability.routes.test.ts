import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AuditRecord, type ErrorCode, ReachError } from '@agent-reach/sdk/protocol';
import express from 'express';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Principal } from '../../governance/access/principal.js';
import { TestRegistry } from '../../perceive/testing.js';
import { capabilityRoutes } from './capability.routes.js';
import { restErrors } from './errors.js';

const principal = (caller: Principal['caller'], namespace: string | undefined): Principal => ({
  caller,
  kind: 'APP',
  name: 'web',
  namespace,
  roles: [],
  scope: namespace === undefined ? { all: true } : { all: false, namespaces: new Set([namespace]) },
  agent: undefined,
  credential: { kind: 'APP_TOKEN', id: 't1', expiresAt: undefined },
});
const TOKENS: Readonly<Record<string, Principal>> = {
  web: principal('app:shop/web', 'shop'),
  stranger: principal('app:shop/stranger', 'shop'),
  nowhere: principal('app:default/admin-token', undefined),
};

let http: Server;
let refused: ErrorCode[];
let audit: AuditRecord[];

beforeEach(async () => {
  const t = new TestRegistry();
  await t.ready();
  t.registry.setPermissions([
    { id: 'r', namespace: 'shop', caller: 'app:shop/web', target: 'shop/orders', capability: '*', effect: 'ALLOW' },
  ]);
  [refused, audit] = [[], []];
  const app = express();
  app.use(
    capabilityRoutes({
      authenticate: async (secret) => {
        const found = TOKENS[secret];
        if (found === undefined) throw new ReachError('UNAUTHENTICATED', 'The token is not valid.');
        return found;
      },
      registry: t.registry,
      audit: { record: (entry) => audit.push(entry) },
      wall: () => 1_000,
      onRefused: (code) => refused.push(code),
    }),
    restErrors({ error: () => {} }),
  );
  http = createServer(app);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
});
afterEach(() => new Promise((resolve) => http.close(resolve)));

async function get(query: string, token?: string): Promise<{ status: number; body: unknown }> {
  const { port } = http.address() as AddressInfo;
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(`http://127.0.0.1:${port}/v1/capabilities?${query}`, { headers });
  return { status: response.status, body: await response.json() };
}

describe('GET /v1/capabilities', () => {
  it('answers what the caller may call, with all that a call needs', async () => {
    expect(await get('text=look+up+an+order&limit=5', 'web')).toEqual({
      status: 200,
      body: {
        capabilities: [
          {
            namespace: 'shop',
            capability: 'order_query',
            aliases: [],
            description: 'Use it to look up one order by its number; answers the order with its status.',
            tags: [],
            idempotent: true,
            mode: 'SYNC',
            inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
            score: expect.any(Number),
          },
        ],
      },
    });
  });

  it('answers nothing of what the caller may not call, or of a namespace that there is not', async () => {
    expect(await get('text=order', 'stranger')).toEqual({ status: 200, body: { capabilities: [] } });
    expect(await get('text=order&namespace=nowhere', 'web')).toEqual({ status: 200, body: { capabilities: [] } });
  });

  it.each([
    ['', 'text', 'nothing'],
    ['text=', 'text', '""'],
    ['text=a&text=b', 'text', 'a list of 2'],
    ['text=a&limit=51', 'limit', '51'],
    ['text=a&limit=many', 'limit', '"many"'],
    ['text=a&page=2', 'page', 'an unknown field'],
  ])('refuses ?%s with the field, and records it', async (query, path, got) => {
    expect(await get(query, 'web')).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_INPUT', fields: [{ path, got }] } },
    });
    expect(audit).toMatchObject([
      { kind: 'REFUSAL', action: 'refusal.INVALID_INPUT', actor: 'app:shop/web', target: '/v1/capabilities' },
    ]);
  });

  it('wants a namespace from a caller that has none', async () => {
    expect(await get('text=order', 'nowhere')).toMatchObject({
      status: 400,
      body: { error: { fields: [{ path: 'namespace', got: 'nothing' }] } },
    });
    expect((await get('text=order&namespace=shop', 'nowhere')).status).toBe(200);
  });

  it('wants a token', async () => {
    expect(await get('text=order')).toMatchObject({ status: 401, body: { error: { code: 'UNAUTHENTICATED' } } });
    expect((await get('text=order', 'wrong')).status).toBe(401);
    expect(refused).toEqual(['UNAUTHENTICATED', 'UNAUTHENTICATED']);
  });
});
