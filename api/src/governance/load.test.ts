import type { PermissionRule } from '@agent-reach/sdk/decide';
import { describe, expect, it } from 'vitest';
import type { AgentRecord } from '../perceive/model.js';
import { TestRegistry } from '../perceive/testing.js';
import { CanaryBook } from './canary/canary.book.js';
import { RouteTableLoader } from './load.js';
import { RuleBook } from './permissions/rule-book.js';
import { PolicyBook } from './policies/policy-book.js';

const rule = (id: string): PermissionRule => ({
  id,
  namespace: 'shop',
  caller: '*',
  target: 'shop/*',
  capability: '*',
  effect: 'ALLOW',
});

const agent = (id: string, version = 1, uid = `uid-${id}`): AgentRecord => ({
  uid,
  ref: `shop/${id}`,
  namespace: 'shop',
  id,
  type: 't',
  kind: 'AGENT',
  description: '',
  owner: '',
  labels: {},
  settings: { weight: 100, paused: false, labelOverrides: {}, roles: [] },
  enrolmentKeyId: null,
  version,
  createdAt: new Date(0),
  updatedAt: new Date(0),
  versions: new Map(),
});

/** A loader over stores that answer what a test says, with something that happens while they read. */
function scene(stored: { agents?: AgentRecord[]; rules?: PermissionRule[] }) {
  const { registry } = new TestRegistry();
  const rules = new RuleBook(registry);
  const scenery = { ...stored, meanwhile: () => {} };
  const loader = new RouteTableLoader({
    feed: registry,
    registry,
    agents: {
      all: async () => {
        const found = [...(scenery.agents ?? [])];
        scenery.meanwhile();
        return found;
      },
      allInstances: async () => [],
    },
    permissions: {
      active: async () => {
        const found = [...(scenery.rules ?? [])];
        scenery.meanwhile();
        return found;
      },
    },
    policies: { all: async () => [] },
    namespaces: { canaries: async () => [] },
    rules,
    canaryBook: new CanaryBook(registry),
    policyBook: new PolicyBook(registry),
  });
  const refs = (): string[] => Array.from(registry.agents(), ({ ref, version }) => `${ref} ${version}`).sort();
  return { registry, rules, loader, scenery, refs };
}

describe('RouteTableLoader', () => {
  it('loads everything', async () => {
    const { loader, rules, refs } = scene({ agents: [agent('a')], rules: [rule('1')] });
    await loader.loadAll();
    expect(refs()).toEqual(['shop/a 1']);
    expect(rules.set.rules.map(({ id }) => id)).toEqual(['1']);
  });

  it('reads rules again that changed while they were read', async () => {
    const { loader, rules, scenery } = scene({ rules: [rule('old')] });
    scenery.meanwhile = () => {
      scenery.meanwhile = () => {};
      scenery.rules = [rule('new')];
      rules.replace([rule('new')]);
    };
    await loader.reload('permissions');
    expect(rules.set.rules.map(({ id }) => id)).toEqual(['new']);
  });

  it('lets agents go that are gone, and overwrites nothing newer', async () => {
    const { loader, registry, scenery, refs } = scene({ agents: [agent('kept', 1), agent('deleted', 1)] });
    for (const each of [agent('kept', 2), agent('deleted', 1), agent('vanished', 1)]) registry.putAgent(each);
    scenery.meanwhile = () => {
      registry.removeAgent('shop/deleted');
      registry.putAgent(agent('created', 1));
    };
    await loader.reload('agents');
    expect(refs()).toEqual(['shop/created 1', 'shop/kept 2']);
  });
});
