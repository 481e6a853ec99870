/** A stage of the decision, for people. */
export function stageWord(stage: string): string {
  return stage.charAt(0).toUpperCase() + stage.slice(1).toLowerCase().replaceAll('_', ' ');
}

/** What a score is made of, part by part, where the strategy tells. */
export function partsText(parts: unknown): string[] {
  if (typeof parts !== 'object' || parts === null) return [];
  return Object.entries(parts).map(([name, value]) => `${name} ${shown(value)}`);
}

/** Whole numbers as they are: a percentage or a count is no measurement. */
function shown(value: unknown): string {
  if (typeof value !== 'number') return String(value);
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}

/** Into which version of a policy a call falls while its newest one is for a part of the calls, and why. */
export function rolloutText(
  version: number,
  { newest, percent, stable }: { readonly newest: number; readonly percent: number; readonly stable: number },
): string {
  const rest = stable === 0 ? 'the rest goes as if there were no such policy' : `version ${stable} for the rest`;
  const side = version === newest ? 'this call falls into that part' : 'this call falls into the rest';
  return `Version ${newest} is for ${percent} % of the calls, ${rest}: ${side}.`;
}
