import type { Command } from 'commander';
import type { AgentRef, Health, HealthStreamEvent, InstanceHealth, Lifecycle } from '../protocol/index.js';
import type { Io } from './io.js';
import { type Access, withReach } from './with-reach.js';

interface WatchOptions extends Access {
  readonly namespace?: string;
  readonly agent?: string;
  readonly capability?: string;
  readonly lifecycle?: readonly Lifecycle[];
  readonly health?: readonly Health[];
  readonly after?: string;
  readonly json?: boolean;
}

/** Adds `reach watch`. */
export function addWatchCommand(program: Command, io: Io): void {
  program
    .command('watch')
    .description('follow which instances can be reached, until Ctrl-C')
    .option('--namespace <id>', 'only this namespace')
    .option('--agent <ref>', 'only this agent, as namespace/agent')
    .option('--capability <name>', 'only instances that offer this')
    .option('--lifecycle <states>', 'only in one of these states of life, such as READY,DRAINING', states)
    .option('--health <states>', 'only with one of these healths, such as DEGRADED,OFFLINE', states)
    .option('--after <position>', 'go on after this position instead of beginning with a snapshot')
    .option('--json', 'one JSON object a line, as the stream delivers it')
    .action((_options: unknown, command: Command) => watch(command.optsWithGlobals<WatchOptions>(), io));
}

async function watch(options: WatchOptions, io: Io): Promise<void> {
  const filter = {
    ...(options.namespace === undefined ? {} : { namespace: options.namespace }),
    ...(options.agent === undefined ? {} : { agent: options.agent as AgentRef }),
    ...(options.capability === undefined ? {} : { capability: options.capability }),
    ...(options.lifecycle === undefined ? {} : { lifecycle: options.lifecycle }),
    ...(options.health === undefined ? {} : { health: options.health }),
  };
  await withReach(options, io, async (reach) => {
    const changes = reach.healthChanges({
      filter,
      signal: io.interrupted,
      ...(options.after === undefined ? {} : { after: options.after }),
    });
    for await (const event of changes) {
      if (options.json) io.out(JSON.stringify(event));
      else for (const line of linesOf(event)) io.out(line);
    }
  });
}

const states = (list: string): string[] => list.toUpperCase().split(',');

function linesOf(event: HealthStreamEvent): string[] {
  switch (event.kind) {
    case 'Snapshot':
      return event.instances.length === 0 ? ['no instances yet'] : event.instances.map(lineOf);
    case 'Change':
      return [lineOf(event.instance)];
    case 'Resync':
      return [`-- the stream begins anew: ${event.reason}`];
    case 'Checkpoint':
      return [];
  }
}

function lineOf(state: InstanceHealth): string {
  const { changedAt, health, lifecycle, instance, inFlight, reason } = state;
  return `${changedAt}  ${health.padEnd(8)}  ${lifecycle.padEnd(8)}  ${instance}  ${inFlight} in flight  ${reason}`;
}
