import type { ErrorCode, WireError } from '@agent-reach/sdk/protocol';
import { Field, Int, ObjectType } from 'type-graphql';
import { JsonScalar } from '../scalars/json.scalar.js';

@ObjectType('CallError', { description: 'Why a task, or the share of one instance in a broadcast, failed.' })
export class CallErrorType {
  @Field(() => String, { description: 'The error code.' })
  code: ErrorCode;

  @Field(() => String, { description: 'What happened.' })
  message: string;

  @Field(() => Boolean, { description: 'Whether repeating the same request later can succeed.' })
  retryable: boolean;

  @Field(() => Int, { nullable: true, description: 'ms after which repeating makes sense.' })
  retryAfterMs: number | null;

  @Field(() => JsonScalar, { nullable: true, description: 'Data by code, and the faulty fields as `fields`.' })
  details: unknown;
}

export function callErrorNode({ code, message, retryable, retryAfterMs, details, fields }: WireError): CallErrorType {
  return {
    code,
    message,
    retryable,
    retryAfterMs: retryAfterMs === undefined ? null : Math.ceil(retryAfterMs),
    details: details === undefined && fields === undefined ? null : { ...details, ...(fields && { fields }) },
  };
}
