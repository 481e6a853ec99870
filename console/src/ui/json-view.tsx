import { CodeBlock } from './code-block';

/** Any value as indented JSON. */
export function JsonView({ value, label, maxHeight = 420 }: { value: unknown; label: string; maxHeight?: number }) {
  return <CodeBlock text={JSON.stringify(value, null, 2) ?? 'undefined'} label={label} maxHeight={maxHeight} />;
}
