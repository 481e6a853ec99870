import { setImmediate } from 'node:timers/promises';
import { GraphQLError } from 'graphql';
import { describe, expect, it, vi } from 'vitest';
import { SharedExecutions } from './shared-executions.js';

const result = { data: { healthChanges: { kind: 'CHANGE' } } };

describe('executions of one event', () => {
  it('are one for all who ask the same in one turn, and are forgotten with it', async () => {
    const executions = new SharedExecutions();
    const execute = vi.fn(async () => result);
    const event = {};
    const [one, other] = await Promise.all([executions.of(event, 'a', execute), executions.of(event, 'a', execute)]);
    expect(one).toBe(other);
    expect(one.text).toBe('{"data":{"healthChanges":{"kind":"CHANGE"}}}');
    expect(await executions.of(event, 'a', execute)).toBe(one);
    expect(execute).toHaveBeenCalledTimes(1);
    await setImmediate();
    await executions.of(event, 'a', execute);
    expect(execute).toHaveBeenCalledTimes(2);
  });

  it('are each by itself for another operation and for another event that looks the same', async () => {
    const executions = new SharedExecutions();
    const execute = vi.fn(() => result);
    const event = { kind: 'Change' };
    await executions.of(event, 'a', execute);
    await executions.of(event, 'b', execute);
    await executions.of({ ...event }, 'a', execute);
    expect(execute).toHaveBeenCalledTimes(3);
  });

  it('leave errors to each subscriber, and a failure to all who asked', async () => {
    const executions = new SharedExecutions();
    const faulty = { errors: [new GraphQLError('no')], data: null };
    expect(await executions.of({}, 'a', () => faulty)).toEqual({ result: faulty, text: undefined });
    const event = {};
    const fail = () => Promise.reject(new Error('broken'));
    const both = [executions.of(event, 'a', fail), executions.of(event, 'a', () => result)];
    for (const one of both) await expect(one).rejects.toThrow('broken');
    await setImmediate();
    expect((await executions.of(event, 'a', () => result)).result).toBe(result);
  });
});
