import { expect, test } from 'vitest';
import { type HealthStreamEvent, type InstanceHealth, ReachError } from '../protocol/index.js';
import { newestOfEach } from './event-stream.js';
import { HealthStream } from './health-stream.js';

const change = (position: string, instance: string, version: number): HealthStreamEvent => ({
  kind: 'Change',
  position,
  instance: { instance, version } as InstanceHealth,
});

function make(after?: string) {
  const sent: Record<string, unknown>[] = [];
  const host = { open: true, send: (text: string) => sent.push(JSON.parse(text)) > 0, leaveStream: () => undefined };
  return { sent, stream: new HealthStream('s1', after === undefined ? {} : { after }, host) };
}

test('subscribes again after the last position it got', () => {
  const { sent, stream } = make('e1-3');
  stream.subscribe();
  stream.onEvent({ kind: 'Checkpoint', position: 'e1-9' });
  stream.subscribe();
  expect(sent).toEqual([
    { type: 'subscribe', id: 's1', stream: 'health', after: 'e1-3' },
    { type: 'subscribe', id: 's1', stream: 'health', after: 'e1-9' },
  ]);
});

test('keeps what comes before the first read, in order', async () => {
  const { stream } = make();
  stream.onEvent({ kind: 'Snapshot', position: '1', instances: [] });
  stream.onEvent(change('2', 'n/a/1', 2));
  expect((await stream.next()).value).toEqual({ kind: 'Snapshot', position: '1', instances: [] });
  expect((await stream.next()).value).toEqual(change('2', 'n/a/1', 2));
});

test('a reader that is slow gets the newest state of each instance', async () => {
  const { stream } = make();
  for (let version = 1; version <= 10_000; version += 1)
    stream.onEvent(change(String(version), `n/a/${version % 3}`, version));
  stream.finish(undefined);
  const last = new Map<string, number>();
  let read = 0;
  for await (const event of stream) {
    read += 1;
    if (event.kind === 'Change') last.set(event.instance.instance, event.instance.version);
  }
  expect(Object.fromEntries(last)).toEqual({ 'n/a/0': 9999, 'n/a/1': 10_000, 'n/a/2': 9998 });
  expect(read).toBeLessThanOrEqual(1024);
});

test('compaction keeps order and what is not a change', () => {
  const resync: HealthStreamEvent = { kind: 'Resync', position: '3', reason: 'gap' };
  const events = [change('1', 'x', 1), change('2', 'y', 1), resync, change('4', 'x', 2)];
  expect(newestOfEach(events, ({ instance }) => instance.instance)).toEqual([
    change('2', 'y', 1),
    resync,
    change('4', 'x', 2),
  ]);
});

test('throws the error after what waits was read', async () => {
  const { stream } = make();
  stream.onEvent({ kind: 'Checkpoint', position: '1' });
  stream.finish(new ReachError('UNAUTHENTICATED', 'token ended'));
  expect((await stream.next()).done).toBe(false);
  await expect(stream.next()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  expect((await stream.next()).done).toBe(true);
});

test('leaving the loop unsubscribes', async () => {
  const { sent, stream } = make();
  stream.onEvent({ kind: 'Checkpoint', position: '1' });
  for await (const _ of stream) break;
  expect(sent).toEqual([{ type: 'unsubscribe', id: 's1' }]);
});
