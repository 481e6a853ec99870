import { AgentError, connect, type Reach } from '@agent-reach/sdk';
import type { RunningServer } from '../../support/server.js';
import type { Agents } from './agents.js';

/** How a version does its work. */
export type Work = 'WELL' | 'BADLY';

/** Joins an instance of one version of an agent, in the test's own process; it answers `<id>_check`, or fails to. */
export async function startVersion(
  agents: Agents,
  server: RunningServer,
  id: string,
  version: string,
  work: Work = 'WELL',
): Promise<Reach> {
  const reach = connect({ url: server.apiUrl, token: await agents.create(id), drainOn: [] });
  await reach
    .agent({
      instance: `v${version}`,
      type: 'test.versions',
      version,
      description: 'Checks what it is given, for tests.',
      record: false,
    })
    .handle(
      `${id}_check`,
      {
        description: 'Use it to have something checked; answers the version that checked it.',
        input: { type: 'object', properties: {} },
      },
      () => {
        if (work === 'BADLY') throw new AgentError('this version is broken');
        return { version };
      },
    )
    .start();
  return reach;
}

/** So many calls of `<id>_check`, one after the other; answers how many each version answered, and how many failed. */
export async function check(web: Reach, id: string, count: number): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (let call = 0; call < count; call++) {
    const answer = await web.call<{ version: string }>({ capability: `${id}_check`, params: {} }).then(
      ({ version }) => version,
      () => 'failed',
    );
    counts[answer] = (counts[answer] ?? 0) + 1;
  }
  return counts;
}

export interface CanaryPatch {
  readonly enabled: boolean;
  readonly sharePercent: number;
  readonly promoteAfterMs: number;
  readonly promoteMinCalls: number;
}

/** Sets how the namespace `default` tries new versions out, past the console; null gives back the usual. */
export async function setCanary(server: RunningServer, canary: Partial<CanaryPatch> | null): Promise<void> {
  const { namespace } = await server.graphql<{ namespace: { version: number } }>(
    '{ namespace(id: "default") { version } }',
  );
  await server.graphql(
    `mutation ($canary: NamespaceCanaryPatch, $version: Int!) {
      updateNamespace(id: "default", patch: { canary: $canary }, expectedVersion: $version) { id } }`,
    { canary, version: namespace.version },
  );
}
