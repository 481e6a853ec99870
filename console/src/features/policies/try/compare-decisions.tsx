import { SimpleGrid, Text } from '@mantine/core';
import { StageFunnel } from '@/features/audit/stage-funnel';
import { DecisionSummary } from '@/features/explain/decision-summary';
import type { RouteExplanation } from '@/features/explain/explain.operations';
import { Mark, type Shape, type Tone } from '@/ui/mark';
import { Section } from '@/ui/section';
import { CompareCandidates } from './compare-candidates';
import classes from './compare-decisions.module.css';
import { type Verdict, verdict } from './verdict';

/** What the draft decides, and beside it what is decided now. */
export function CompareDecisions({
  draft,
  saved,
  draftId,
}: {
  draft: RouteExplanation;
  saved: RouteExplanation;
  /** The id under which the draft decides. */
  draftId: string;
}) {
  return (
    <>
      <div role="status" aria-label="Comparison">
        <VerdictMark verdict={VERDICTS[verdict(draft, saved)]} />
      </div>
      <SimpleGrid cols={{ base: 1, sm: 2 }} mt="xs">
        <section className={classes.side} aria-label="With the draft">
          <Text size="xs" c="dimmed">
            With the draft
          </Text>
          <DecisionSummary explanation={draft} draftId={draftId} />
        </section>
        <section className={classes.side} aria-label="As saved">
          <Text size="xs" c="dimmed">
            As saved
          </Text>
          <DecisionSummary explanation={saved} />
        </section>
      </SimpleGrid>
      <Section title="Candidates" note="Every instance that the target could mean, and how far it came on either side.">
        <CompareCandidates draft={draft} saved={saved} />
      </Section>
      <Section title="Stages">
        <SimpleGrid cols={{ base: 1, sm: 2 }} style={{ alignItems: 'start' }}>
          <div>
            <Text size="xs" c="dimmed" mb={4}>
              With the draft
            </Text>
            <StageFunnel stages={draft.stages} label="Stages with the draft" />
          </div>
          <div>
            <Text size="xs" c="dimmed" mb={4}>
              As saved
            </Text>
            <StageFunnel stages={saved.stages} label="Stages as saved" />
          </div>
        </SimpleGrid>
      </Section>
    </>
  );
}

const VERDICTS = {
  SAME: { tone: 'idle', shape: 'bar', text: 'It goes where it goes now' },
  ELSEWHERE: { tone: 'busy', shape: 'arrow', text: 'It goes elsewhere' },
  BY_LOT: { tone: 'idle', shape: 'ring', text: 'By lot: it may go where it goes now' },
  SOMEBODY: { tone: 'good', shape: 'check', text: 'With the draft somebody gets it' },
  NOBODY: { tone: 'bad', shape: 'cross', text: 'With the draft nobody gets it' },
} as const satisfies Record<Verdict, { tone: Tone; shape: Shape; text: string }>;

function VerdictMark({ verdict: { tone, shape, text } }: { verdict: (typeof VERDICTS)[Verdict] }) {
  return (
    <Mark tone={tone} shape={shape}>
      {text}
    </Mark>
  );
}
