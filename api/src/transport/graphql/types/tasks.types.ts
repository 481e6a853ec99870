import type { CallerRef, TaskState } from '@agent-reach/sdk/protocol';
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { connectionOf } from '../connection.js';
import { DateTimeScalar } from '../scalars/datetime.scalar.js';
import { JsonScalar } from '../scalars/json.scalar.js';
import { StreamEventKindEnum, TaskStateEnum } from './enums.types.js';
import { CallErrorType } from './errors.types.js';

@ObjectType('Task', {
  description:
    'A call whose completion comes later. It stays for 24 h after its end; progress and result need OPERATOR.',
})
export class TaskType {
  @Field(() => ID, { description: 'Its id.' })
  taskId: string;

  @Field(() => String, { description: 'The id of the request that it was accepted for.' })
  requestId: string;

  @Field(() => String, { description: 'Who called: `agent:namespace/id`, `app:namespace/name` or `user:name`.' })
  caller: CallerRef;

  @Field(() => String, { description: 'The namespace that it belongs to: that of its agent.' })
  namespace: string;

  @Field(() => String, { description: 'The agent that has it, `namespace/id`.' })
  agent: string;

  @Field(() => String, { description: 'The capability that was called.' })
  capability: string;

  @Field(() => String, { description: 'The instance of its present dispatch.' })
  instance: string;

  @Field(() => TaskStateEnum, { description: 'How far it is.' })
  state: TaskState;

  @Field(() => Int, { description: 'Counts its dispatches; 1 for the first.' })
  epoch: number;

  @Field(() => JsonScalar, { nullable: true, description: 'What its agent reported last. Null without OPERATOR.' })
  progress: unknown;

  @Field(() => JsonScalar, { nullable: true, description: 'Its result, once COMPLETED. Null without OPERATOR.' })
  result: unknown;

  @Field(() => CallErrorType, { nullable: true, description: 'Why it is FAILED, CANCELLED or UNKNOWN.' })
  error: CallErrorType | null;

  @Field(() => DateTimeScalar, { description: 'When it was accepted.' })
  createdAt: string;

  @Field(() => DateTimeScalar, { description: 'When its state or progress last changed.' })
  updatedAt: string;

  @Field(() => DateTimeScalar, { description: 'When it ends by itself.' })
  deadlineAt: string;
}

export const TaskConnection = connectionOf(TaskType, 'Task');

@InputType('TaskFilter', { description: 'Which tasks; what is given must all match.' })
export class TaskFilterInput {
  @Field(() => [TaskStateEnum], { nullable: true, description: 'In one of these states.' })
  states?: readonly TaskState[] | null;

  @Field(() => String, { nullable: true, description: 'Of this caller, such as `agent:shop/orders`.' })
  caller?: string | null;

  @Field(() => String, { nullable: true, description: 'Of this agent, `namespace/id`.' })
  agent?: string | null;

  @Field(() => String, { nullable: true, description: 'Of this capability.' })
  capability?: string | null;

  @Field(() => String, { nullable: true, description: 'Of this request.' })
  requestId?: string | null;
}

@InputType('TaskStreamFilter', { description: 'Which tasks of a stream; what is given must all match.' })
export class TaskStreamFilterInput {
  @Field(() => String, { nullable: true, description: 'Of this namespace.' })
  namespace?: string | null;

  @Field(() => String, { nullable: true, description: 'Of this agent, `namespace/id`.' })
  agent?: string | null;

  @Field(() => String, { nullable: true, description: 'Of this capability.' })
  capability?: string | null;

  @Field(() => ID, { nullable: true, description: 'This one alone; the snapshot then holds it after its end, too.' })
  taskId?: string | null;
}

@ObjectType('TaskEvent', { description: 'The next item of the stream of tasks.' })
export class TaskEventType {
  @Field(() => StreamEventKindEnum, { description: 'What it is.' })
  kind: keyof typeof StreamEventKindEnum;

  @Field(() => String, { description: 'What `after` takes to go on from here.' })
  position: string;

  @Field(() => [TaskType], { description: 'SNAPSHOT: those that are open; CHANGE: the one that changed; else none.' })
  tasks: readonly TaskType[];

  @Field(() => String, { nullable: true, description: 'Why a resync is needed.' })
  reason: string | null;
}
