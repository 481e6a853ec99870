import { Facts } from '@/ui/facts';
import { Section } from '@/ui/section';
import type { AgentDetail } from './agent.operations';
import { labelTexts } from './label-texts';

/** What the agent says of itself: its next registration replaces all of it. */
export function ReportedFacts({ agent }: { agent: AgentDetail }) {
  const said = (text: string) => (text === '' ? '–' : text);
  return (
    <Section title="Reported by the agent" note="Its next registration replaces all of this.">
      <Facts
        facts={[
          ['Type', agent.type],
          ['Owner', said(agent.owner)],
          ['Labels', said(labelTexts(agent.labels).join(', '))],
          ['Description', said(agent.description)],
        ]}
      />
    </Section>
  );
}
