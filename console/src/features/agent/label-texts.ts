/** Labels as people write them: `name=value`, in the order of their names. */
export function labelTexts(labels: Readonly<Record<string, string>>): string[] {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .sort();
}

/** The labels that such texts mean, the last of two with one name; or the first text that means none. */
export function labelsOf(
  texts: readonly string[],
): { readonly labels: Readonly<Record<string, string>> } | { readonly fault: string } {
  const labels = new Map<string, string>();
  for (const text of texts) {
    const at = text.indexOf('=');
    const name = text.slice(0, at).trim();
    if (at === -1 || name === '') return { fault: `"${text}" is no label: write name=value` };
    labels.set(name, text.slice(at + 1).trim());
  }
  return { labels: Object.fromEntries(labels) };
}

/** What turns some labels into others, as a patch that is merged: null takes a label away. */
export function labelPatch(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): Readonly<Record<string, string | null>> {
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  return { ...after, ...Object.fromEntries(removed.map((name) => [name, null])) };
}
