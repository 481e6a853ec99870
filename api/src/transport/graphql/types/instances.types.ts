import type { Health, Lifecycle } from '@agent-reach/sdk/protocol';
import { Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { Domain } from '../../../perceive/model.js';
import { connectionOf } from '../connection.js';
import { DateTimeScalar } from '../scalars/datetime.scalar.js';
import { DomainEnum, HealthEnum, LifecycleEnum } from './enums.types.js';

@ObjectType('HttpEndpoint', { description: 'How an instance that is only an HTTP endpoint is reached.' })
export class HttpEndpointType {
  @Field(() => String, { description: 'Where calls are POSTed, without its query, which may hold secrets.' })
  url: string;

  @Field(() => String, { description: 'The path on the same host that is probed, without its query.' })
  healthPath: string;

  @Field(() => String, { description: 'How parameters are sent: JSON or FORM.' })
  encoding: string;

  @Field(() => Int, { description: 'ms between probes.' })
  probeIntervalMs: number;

  @Field(() => Float, { description: 'ms that a probe may take.' })
  probeTimeoutMs: number;

  @Field(() => Int, { description: 'Good probes in a row; 0 when the latest failed.' })
  goodProbes: number;

  @Field(() => Int, { description: 'Failed probes in a row; 0 when the latest was good.' })
  failedProbes: number;

  @Field(() => String, { description: 'Why the latest probe failed; empty when it was good.' })
  probeFailure: string;
}

@ObjectType('Instance', { description: 'One running copy of an agent, as the server sees it now.' })
export class InstanceType {
  @Field(() => ID, { description: '`namespace/agent/instance`' })
  ref: string;

  @Field(() => String, { description: 'Its agent, `namespace/id`.' })
  agent: string;

  @Field(() => String, { description: 'Its name within the agent.' })
  name: string;

  @Field(() => String, { description: 'One life of its process, named by the process.' })
  incarnation: string;

  @Field(() => String, { description: "The version of the agent's code that it runs." })
  version: string;

  @Field(() => String, { description: 'Where it runs.' })
  zone: string;

  @Field(() => DomainEnum, { description: 'Which traffic its version gets.' })
  domain: Domain;

  @Field(() => LifecycleEnum, { description: 'Where it is in its life.' })
  lifecycle: Lifecycle;

  @Field(() => HealthEnum, { description: 'How well it can be reached.' })
  health: Health;

  @Field(() => String, { description: 'Why it is in this state.' })
  reason: string;

  @Field(() => DateTimeScalar, { description: 'When its state last changed.' })
  changedAt: Date;

  @Field(() => DateTimeScalar, { description: 'When it last registered.' })
  registeredAt: Date;

  @Field(() => Int, { description: 'Calls that run on it now.' })
  inFlight: number;

  @Field(() => Int, { description: 'Calls at once that it takes.' })
  maxConcurrency: number;

  @Field(() => Int, { description: 'Calls beyond that which it queues itself.' })
  maxQueue: number;

  @Field(() => Int, { description: 'Calls that wait in it, as it last reported.' })
  queueDepth: number;

  @Field(() => Int, { description: 'Tasks that it has accepted and that have not ended.' })
  tasks: number;

  @Field(() => Int, { description: 'Tasks at once that it takes, beside its calls.' })
  maxTasks: number;

  @Field(() => Float, { nullable: true, description: '0 to 1; null while nothing was reported.' })
  utilisation: number | null;

  @Field(() => Float, { nullable: true, description: 'Mean latency of its recent calls in ms; null without any.' })
  meanLatencyMs: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'Share of its attempts of the last five minutes that succeeded, 0 to 1; null without any.',
  })
  successRate: number | null;

  @Field(() => Float, {
    description:
      'Its quality by the default formula, 60 to 160: what the strategy QUALITY goes by. Unknown counts as good.',
  })
  quality: number;

  @Field(() => Boolean, { description: 'An ack that should have come is missing; it counts half until the next one.' })
  ackOverdue: boolean;

  @Field(() => String, { description: 'State of its breaker: CLOSED, OPEN or HALF_OPEN.' })
  breaker: string;

  @Field(() => String, { description: 'Why the breaker is in this state.' })
  breakerReason: string;

  @Field(() => String, { description: 'Its lease profile: REALTIME, STANDARD, BATCH, or CUSTOM for times of its own.' })
  lease: string;

  @Field(() => Int, { description: 'How often it reports, ms; longer while it has little to do.' })
  leaseIntervalMs: number;

  @Field(() => Int, { description: 'How long it is believed without a report, ms; longer while it has little to do.' })
  leaseTtlMs: number;

  @Field(() => Float, { nullable: true, description: 'ms since it was last heard; null while it is not connected.' })
  lastHeardMs: number | null;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description:
      'Since when another live process registers under the same instance name and is refused; null while none does.',
  })
  contestedSince: Date | null;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description:
      'When an instance whose lease was lost is given up, unless it is back by then: three TTLs after the loss. Null in any other state, for an HTTP endpoint, and after a restart of the server until the instance is known to be lost.',
  })
  observedUntil: Date | null;

  @Field(() => String, { description: 'How calls reach it: WEBSOCKET or HTTP.' })
  transport: string;

  @Field(() => HttpEndpointType, { nullable: true, description: 'Its address and probes; null unless it is HTTP.' })
  endpoint: HttpEndpointType | null;
}

@ObjectType('InstanceTransition', {
  description: 'One step of an instance from a state of its lifecycle or its health to another.',
})
export class InstanceTransitionType {
  @Field(() => DateTimeScalar, { description: 'When it happened.' })
  at: Date;

  @Field(() => String, { description: 'The instance, `namespace/agent/instance`; it may be gone.' })
  instance: string;

  @Field(() => String, { description: 'The life of its process that it belongs to.' })
  incarnation: string;

  @Field(() => String, { nullable: true, description: 'A lifecycle or a health, as `to` is one; null: it began.' })
  from: string | null;

  @Field(() => String, { description: 'The lifecycle or the health that it came to.' })
  to: string;

  @Field(() => LifecycleEnum, { description: 'Its lifecycle after that.' })
  lifecycle: Lifecycle;

  @Field(() => HealthEnum, { description: 'Its health after that.' })
  health: Health;

  @Field(() => String, { description: 'Why.' })
  reason: string;

  @Field(() => String, { description: 'Who did it: a person, the instance itself, or `system`.' })
  actor: string;
}

export const InstanceConnection = connectionOf(InstanceType, 'Instance');

@InputType('InstanceFilter', { description: 'Which instances; what is given must all match.' })
export class InstanceFilter {
  @Field(() => String, { nullable: true, description: 'An agent, `namespace/id`.' })
  agent?: string | null;

  @Field(() => [LifecycleEnum], { nullable: true, description: 'In one of these states of life.' })
  lifecycle?: readonly Lifecycle[] | null;

  @Field(() => [HealthEnum], { nullable: true, description: 'With one of these healths.' })
  health?: readonly Health[] | null;

  @Field(() => String, { nullable: true, description: 'In this zone.' })
  zone?: string | null;
}
