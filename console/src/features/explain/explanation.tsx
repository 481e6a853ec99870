import { StageFunnel } from '@/features/audit/stage-funnel';
import { Section } from '@/ui/section';
import { CandidateTable } from './candidate-table';
import { DecisionSummary } from './decision-summary';
import type { RouteExplanation } from './explain.operations';

/** The router's answer. */
export function Explanation({ explanation }: { explanation: RouteExplanation }) {
  const { chosen, stages, candidates } = explanation;
  return (
    <>
      <div role="status" aria-label="Decision">
        <DecisionSummary explanation={explanation} />
      </div>
      <Section title="Candidates" note="Every instance that the target could mean, and how far it came.">
        <CandidateTable candidates={candidates} chosen={chosen} />
      </Section>
      <Section title="Stages">
        <div style={{ maxWidth: 560 }}>
          <StageFunnel stages={stages} />
        </div>
      </Section>
    </>
  );
}
