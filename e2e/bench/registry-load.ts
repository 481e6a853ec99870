import { setTimeout as sleep } from 'node:timers/promises';
import { usageOf } from '../support/usage.js';
import type { Product } from './product.js';
import { significant, table } from './report.js';
import { Worker } from './worker.js';

const CONNECTIONS = 100;
const INSTANCES_EACH = 100;
/** Until the first instances are past their grace and what their joining left to do is done. */
const SETTLE_MS = 15_000;
/** Six beats of everybody. */
const STEADY_MS = 30_000;
const IDLE_MS = 5_000;

/** What it costs the server to know 10,000 instances over 100 connections, each beating every 5 s. */
export interface RegistryLoad {
  readonly instances: number;
  readonly joinMs: number;
  readonly joinCpuMs: number;
  /** Resident memory that came with them. */
  readonly bytes: number;
  /** Parts of one core. */
  readonly idleShare: number;
  readonly share: number;
}

/** Registers all, lets them beat and leave again. */
export async function measureRegistry({ server, url, enrolmentKey }: Product): Promise<RegistryLoad> {
  const agents = Worker.start('registry-agents.js');
  try {
    await agents.order({ order: 'connect', url, token: enrolmentKey, connections: CONNECTIONS });
    await sleep(IDLE_MS);
    const idleShare = await coreShare(server.pid, IDLE_MS);
    const before = usageOf(server.pid);
    const joined = await agents.order({ order: 'join', instances: INSTANCES_EACH, beats: true });
    if (joined === undefined) throw new Error('the agents did not say how long they took');
    const joinCpuMs = usageOf(server.pid).cpuMs - before.cpuMs;
    await sleep(SETTLE_MS);
    const share = await coreShare(server.pid, STEADY_MS);
    const bytes = usageOf(server.pid).residentBytes - before.residentBytes;
    return { instances: joined.calls, joinMs: joined.elapsedMs, joinCpuMs, bytes, idleShare, share };
  } finally {
    await agents.stop();
  }
}

/** The part of one core that a process uses during so many ms. */
async function coreShare(pid: number, ms: number): Promise<number> {
  const [startedAt, before] = [performance.now(), usageOf(pid).cpuMs];
  await sleep(ms);
  return (usageOf(pid).cpuMs - before) / (performance.now() - startedAt);
}

export function figuresOfRegistry({
  instances,
  joinMs,
  joinCpuMs,
  bytes,
  share,
}: RegistryLoad): Record<string, number> {
  return {
    registry_core_share_10k: share,
    registry_bytes_per_instance: bytes / instances,
    registrations_per_s: (1000 * instances) / joinMs,
    registration_cpu_us: (1000 * joinCpuMs) / instances,
  };
}

export function describeRegistry({ instances, joinMs, joinCpuMs, bytes, idleShare, share }: RegistryLoad): string {
  const percent = (part: number) => `${significant(100 * part)} %`;
  return table(
    [`${instances} instances over ${CONNECTIONS} connections, a beat every 5 s`, 'figure'],
    [
      ['registrations as fast as possible', `${significant(joinMs / 1000)} s`],
      ['registrations a second', significant((1000 * instances) / joinMs)],
      ['server CPU for a registration', `${significant((1000 * joinCpuMs) / instances)} µs`],
      ['server memory for an instance, connections aside', `${significant(bytes / instances / 1024)} KiB`],
      ['server, of one core, before they joined', percent(idleShare)],
      ['server, of one core, while all beat', percent(share)],
    ],
  );
}
