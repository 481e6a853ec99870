import { Field, Float, InputType, Int, ObjectType } from 'type-graphql';
import { enumType } from '../enum-type.js';
import { DateTimeScalar } from '../scalars/datetime.scalar.js';

export const CanaryStateEnum = enumType('CanaryState', 'Where the trial of a version as a canary stands.', {
  ON_TRIAL: 'It gets a share of the calls and is watched.',
  PROMOTED: 'It did well and went to PRODUCTION.',
  RETURNED: 'It failed too often and went to STAGING, until somebody releases it or tries it again.',
  RELEASED: 'Somebody sent it to PRODUCTION.',
  STOPPED: 'Somebody took it out of CANARY.',
});

@ObjectType('VersionCanary', { description: 'The trial of a version as a canary: the one that runs, or the last one.' })
export class VersionCanaryType {
  @Field(() => CanaryStateEnum, { description: 'Where it stands.' })
  state: keyof typeof CanaryStateEnum;

  @Field(() => String, { description: 'Why, or what it waits for, for people.' })
  reason: string;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When it began; null when the version was in CANARY before its namespace tried versions out.',
  })
  since: Date | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it ended; null while it runs.' })
  endedAt: Date | null;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When the version is promoted if all goes well; null when that depends on something else than time.',
  })
  promoteAt: Date | null;

  @Field(() => Int, {
    description: 'Attempts of calls that ended since this server watches it, and say something about the version.',
  })
  calls: number;

  @Field(() => Int, { description: 'How many of them failed, as breakers count it.' })
  failures: number;

  @Field(() => Float, { nullable: true, description: 'Their share, 0 to 1; null without any call.' })
  errorRate: number | null;
}

@ObjectType('NamespaceCanary', { description: 'How a namespace tries new versions of its agents out.' })
export class NamespaceCanaryType {
  @Field(() => Boolean, {
    description:
      'Whether a new version of an agent that has one in PRODUCTION starts in CANARY. What is on trial when this is turned off stays so to its end.',
  })
  enabled: boolean;

  @Field(() => Float, { description: 'Share of the calls for canaries where no policy splits them, in percent.' })
  sharePercent: number;

  @Field(() => Int, { description: 'Time in ms, with an instance that can take calls, until it is promoted.' })
  promoteAfterMs: number;

  @Field(() => Int, { description: 'Calls that must have ended by then; 0: time alone.' })
  promoteMinCalls: number;

  @Field(() => Float, { description: 'Share of failed calls, in percent, over which it is returned to STAGING.' })
  maxErrorPercent: number;
}

@InputType('NamespaceCanaryPatch', { description: 'Changes of it. What is absent stays; null gives back the usual.' })
export class NamespaceCanaryPatch {
  @Field(() => Boolean, { nullable: true, description: 'Whether new versions start in CANARY; usually they do not.' })
  enabled?: boolean | null;

  @Field(() => Float, { nullable: true, description: '0 to 100; usually 5.' })
  sharePercent?: number | null;

  @Field(() => Int, { nullable: true, description: '1,000 to 604,800,000; usually 120,000.' })
  promoteAfterMs?: number | null;

  @Field(() => Int, { nullable: true, description: '0 to 1,000,000; usually 0.' })
  promoteMinCalls?: number | null;

  @Field(() => Float, { nullable: true, description: '0 to 100; usually 10.' })
  maxErrorPercent?: number | null;
}
