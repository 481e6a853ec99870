import { DiffView } from '@/ui/diff-view';
import { Section } from '@/ui/section';
import type { AuditEntry } from './audit.operations';
import { readChange } from './entry-details';

/** A change: what it was before and after. */
export function ChangeSections({ entry }: { entry: AuditEntry }) {
  const change = readChange(entry.details);
  if (change === undefined) return null;
  return (
    <Section title="Before and after">
      <DiffView before={change.before} after={change.after} label="Changed fields" />
    </Section>
  );
}
