import { readFileSync } from 'node:fs';
import { buildASTSchema, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import * as agent from '@/features/agent/agent.operations';
import * as agents from '@/features/agents/agents.operations';
import * as audit from '@/features/audit/audit.operations';
import * as namespaces from '@/features/namespaces/namespaces.operations';
import * as permissions from '@/features/permissions/permissions.operations';
import * as tasks from '@/features/tasks/tasks.operations';
import * as tokens from '@/features/tokens/tokens.operations';
import * as topology from '@/features/topology/topology.operations';

const schema = buildASTSchema(parse(readFileSync(new URL('../../../api/schema.graphql', import.meta.url), 'utf8')));

const operations = [agent, agents, audit, namespaces, permissions, tasks, tokens, topology].flatMap((each) =>
  Object.entries(each).flatMap(([name, value]) =>
    typeof value === 'object' && 'text' in value ? [[name, value.text] as const] : [],
  ),
);

test.each(operations)('%s is valid against the schema of the API', (_name, text) => {
  expect(validate(schema, parse(text)).map(({ message }) => message)).toEqual([]);
});
