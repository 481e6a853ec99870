import { Text } from '@mantine/core';
import { CallError } from '@/ui/call-error';
import type { Right } from '@/ui/guarded-button';
import { JsonView } from '@/ui/json-view';
import { Section } from '@/ui/section';
import type { TaskDetail } from './tasks.operations';

/** What the agent reported and answered, for those who may see it; why the task failed, for everybody. */
export function TaskContents({ task, right }: { task: TaskDetail; right: Right }) {
  return (
    <>
      {task.error !== null && <CallError error={task.error} />}
      <Section title="Progress" note="What its agent reported last.">
        <Content value={task.progress} label="Progress" right={right} none="Nothing was reported." />
      </Section>
      {task.state === 'COMPLETED' && (
        <Section title="Result">
          <Content value={task.result} label="Result" right={right} none="The result is null." />
        </Section>
      )}
    </>
  );
}

function Content({ value, label, right, none }: { value: unknown; label: string; right: Right; none: string }) {
  if (value !== null && value !== undefined) return <JsonView value={value} label={`${label} as JSON`} />;
  return (
    <Text size="sm" c="dimmed">
      {right.allowed ? none : `It is shown to those who have the right: ${right.reason ?? 'you lack it.'}`}
    </Text>
  );
}
