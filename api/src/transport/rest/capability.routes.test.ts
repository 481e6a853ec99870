import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { capabilityRoutes } from './capability.routes.js';
import { appPrincipal, type RestAnswer, RestTestServer } from './testing.js';

let server: RestTestServer;

beforeEach(async () => {
  const tokens = {
    web: appPrincipal('app:shop/web', 'shop'),
    stranger: appPrincipal('app:shop/stranger', 'shop'),
    nowhere: appPrincipal('app:default/admin-token', undefined),
  };
  server = await RestTestServer.open(tokens, capabilityRoutes);
  server.registry.setPermissions([
    { id: 'r', namespace: 'shop', caller: 'app:shop/web', target: 'shop/orders', capability: '*', effect: 'ALLOW' },
  ]);
});
afterEach(() => server.close());

async function get(query: string, token?: string): Promise<Pick<RestAnswer, 'status' | 'body'>> {
  const { status, body } = await server.get(`/v1/capabilities?${query}`, token);
  return { status, body };
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
    expect(server.audit).toMatchObject([
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
    expect(server.refused).toEqual(['UNAUTHENTICATED', 'UNAUTHENTICATED']);
  });
});
