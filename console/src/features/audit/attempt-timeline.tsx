import { Group, Text } from '@mantine/core';
import { duration } from '@/ui/format';
import { Mono } from '@/ui/mono';
import { OutcomeMark } from '@/ui/states';
import { type SpanKind, spansOf } from './attempt-spans';
import classes from './attempt-timeline.module.css';
import type { AttemptDetail } from './entry-details';

const WORDS: Record<SpanKind, string> = {
  queue: 'waiting',
  decide: 'deciding',
  network: 'network to ack',
  agent: 'agent',
};

/** The attempts of a call on one time line, each split into waiting, deciding, network and agent. */
export function AttemptTimeline({ attempts, totalMs }: { attempts: readonly AttemptDetail[]; totalMs: number }) {
  const end = Math.max(totalMs, ...attempts.map(({ startedMs, durationMs }) => startedMs + durationMs), 0.1);
  return (
    <div>
      <ol className={classes.attempts} aria-label="Attempts">
        {attempts.map((attempt, index) => (
          // By number: two attempts may be on the same instance.
          <li key={index} className={classes.attempt}>
            <div className={classes.who}>
              <Text size="sm" fw={500}>
                {index + 1}. <Mono>{attempt.instance}</Mono>
              </Text>
              <Group gap="sm">
                <OutcomeMark outcome={attempt.outcome} />
                <Text size="xs" c="dimmed">
                  {duration(attempt.durationMs)}, from {duration(attempt.startedMs)}
                </Text>
              </Group>
            </div>
            <div className={classes.track} aria-hidden="true">
              {spansOf(attempt).map(({ kind, fromMs, toMs }) => (
                <span
                  key={kind}
                  className={classes.span}
                  data-kind={kind}
                  style={{ left: `${(fromMs / end) * 100}%`, width: `max(2px, ${((toMs - fromMs) / end) * 100}%)` }}
                />
              ))}
            </div>
            <Text size="xs" c="dimmed" className={classes.split}>
              {spansOf(attempt)
                .map(({ kind, fromMs, toMs }) => `${WORDS[kind]} ${duration(toMs - fromMs)}`)
                .join(' · ')}
            </Text>
          </li>
        ))}
      </ol>
      <div className={classes.axis} aria-hidden="true">
        <span>0</span>
        <span>{duration(end / 2)}</span>
        <span>{duration(end)}</span>
      </div>
      <Group gap="md" mt={6} aria-hidden="true">
        {(Object.keys(WORDS) as SpanKind[]).map((kind) => (
          <Group key={kind} gap={6}>
            <span className={classes.key} data-kind={kind} />
            <Text size="xs" c="dimmed">
              {WORDS[kind]}
            </Text>
          </Group>
        ))}
      </Group>
    </div>
  );
}
