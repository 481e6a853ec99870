import { isObject, type JsonSchema } from '@agent-reach/sdk/protocol';
import type { CapabilityRecord } from '../model.js';

/** What would help callers that capabilities leave unsaid, in a sentence; undefined: nothing. */
export function schemaAdvice(
  capabilities: readonly Pick<CapabilityRecord, 'name' | 'inputSchema' | 'outputSchema'>[],
): string | undefined {
  const unchecked = capabilities.find(({ outputSchema }) => outputSchema === undefined);
  if (unchecked !== undefined) {
    return `${unchecked.name} declares no outputSchema: any answer of it counts, and callers can't know what comes.`;
  }
  for (const { name, inputSchema } of capabilities) {
    const silent = undescribed(inputSchema);
    if (silent.length > 0) {
      return `${name} has parameters without a description: ${silent.slice(0, 3).join(', ')}. It is found by them.`;
    }
  }
  return undefined;
}

function undescribed(schema: JsonSchema): string[] {
  const properties = isObject(schema) ? schema.properties : undefined;
  if (!isObject(properties)) return [];
  return Object.entries(properties)
    .filter(([, each]) => isObject(each) && each.description === undefined && each.$ref === undefined)
    .map(([name]) => name);
}
