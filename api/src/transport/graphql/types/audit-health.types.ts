import { Field, Float, ObjectType } from 'type-graphql';
import { DateTimeScalar } from '../scalars/datetime.scalar.js';

@ObjectType('AuditAlarm', { description: 'Audit entries are being lost, because they cannot be written to the disk.' })
export class AuditAlarmType {
  @Field({ description: 'What the system says.' })
  readonly reason!: string;

  @Field(() => DateTimeScalar, { description: 'When the first was lost.' })
  readonly since!: Date;

  @Field(() => Float, { description: 'How many were lost since then.' })
  readonly dropped!: number;
}

@ObjectType('AuditHealth', { description: 'Whether the audit is complete and up to date.' })
export class AuditHealthType {
  @Field(() => AuditAlarmType, { nullable: true, description: 'Set while entries are being lost.' })
  readonly alarm!: AuditAlarmType | null;

  @Field(() => Float, { description: 'Entries lost since the server started.' })
  readonly dropped!: number;

  @Field(() => Float, { description: 'Bytes of entries that are on the disk and not in Postgres yet.' })
  readonly bytesPending!: number;

  @Field(() => String, { nullable: true, description: 'Why no entry is moved to Postgres now.' })
  readonly loaderFailure!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Why the stored entries cannot be trusted; `reach audit verify` tells more.',
  })
  readonly chainFault!: string | null;
}
