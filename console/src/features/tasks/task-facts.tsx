import type { ReactNode } from 'react';
import { Facts } from '@/ui/facts';
import { duration } from '@/ui/format';
import { Mono } from '@/ui/mono';
import { NsLink } from '@/ui/ns-link';
import { Ago, Time } from '@/ui/time';
import { isEnded } from './live-tasks';
import type { TaskRow } from './tasks.operations';

/** Who, what, where, and the times of a task from its acceptance to its end. */
export function TaskFacts({ task }: { task: TaskRow }) {
  const link = (href: string, text: string) => (
    <NsLink href={href} size="sm">
      <Mono>{text}</Mono>
    </NsLink>
  );
  const ended = isEnded(task);
  const facts: (readonly [string, ReactNode])[] = [
    ['Accepted', <Time key="accepted" iso={task.createdAt} dated />],
    [ended ? 'Ended' : 'Last heard of', <Moment key="last" iso={task.updatedAt} ended={ended} />],
    ended
      ? ['Took', duration(new Date(task.updatedAt).getTime() - new Date(task.createdAt).getTime())]
      : ['Ends at the latest', <Time key="deadline" iso={task.deadlineAt} dated />],
    ['Agent', link(`/agents/${task.agent}`, task.agent)],
    ['Instance', <Mono key="instance">{task.instance}</Mono>],
    ['Dispatch', task.epoch === 1 ? 'the first' : `number ${task.epoch}: the instances before were lost`],
    ['Caller', link(`/tasks?caller=${encodeURIComponent(task.caller)}`, task.caller)],
    ['Request id', link(`/audit?range=all&request=${encodeURIComponent(task.requestId)}`, task.requestId)],
    ['Task id', <Mono key="id">{task.taskId}</Mono>],
    ['Namespace', task.namespace],
  ];
  return <Facts facts={facts} />;
}

function Moment({ iso, ended }: { iso: string; ended: boolean }) {
  return ended ? <Time iso={iso} dated /> : <Ago iso={iso} />;
}
