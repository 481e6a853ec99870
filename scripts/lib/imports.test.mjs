import { expect, test } from 'vitest';
import { wrongImports } from './imports.mjs';

test.each([
  ['api/src/execute/call.ts', "import { registry } from '../perceive/registry.js';"],
  ['api/src/execute/call.ts', "import { ReachError } from '@agent-reach/sdk/protocol';"],
  ['api/src/server.ts', "import { ways } from './transport/reach/server.js';"],
  ['api/src/transport/rest/call.ts', "import express from 'express';"],
  ['sdk/src/decide/decide.ts', "// import { readFileSync } from 'node:fs';"],
  ['console/src/page.tsx', "import { decide } from '@agent-reach/sdk/decide';"],
  ['README.md', "import { x } from './api/src/server.js';"],
])('%s may have: %s', (path, source) => {
  expect(wrongImports(path, source)).toEqual([]);
});

test.each([
  [
    'api/src/perceive/registry.ts',
    "import { run } from '../execute/run.js';",
    'perceive must not import execute (perceive is core)',
  ],
  [
    'api/src/execute/run.ts',
    "import { WebSocket } from 'ws';",
    'execute must not use it (execute is core, above perceive)',
  ],
  [
    'api/src/execute/run.ts',
    "import { PrismaClient } from '../storage/generated/client.js';",
    'execute must not import storage (execute is core, above perceive)',
  ],
  ['api/src/perceive/x.ts', "export * from 'graphql/type';", 'perceive must not use it (perceive is core)'],
  [
    'api/src/governance/x.ts',
    "const x = await import('../transport/graphql/x.js');",
    'governance must not import transport (governance owns durable data and feeds perceive)',
  ],
  [
    'api/src/transport/rest/x.ts',
    "import { start } from '../../server.js';",
    'transport must not import wiring (ways in stand on everything but the wiring)',
  ],
  [
    'sdk/src/decide/x.ts',
    "import type { Client } from '../client/index.js';",
    'sdk/decide must not import sdk/client (a decision is pure: protocol only)',
  ],
  [
    'sdk/src/protocol/x.ts',
    "import { createHash } from 'node:crypto';",
    'sdk/protocol must not use it (the protocol knows nothing else)',
  ],
  [
    'sdk/src/client/x.ts',
    "import { x } from '../../../api/src/perceive/x.js';",
    'sdk/client must not import perceive (the client knows protocol and decide)',
  ],
  [
    'console/src/page.tsx',
    "import { x } from '@agent-reach/api';",
    'console must not import wiring (the console speaks GraphQL to the API)',
  ],
])('%s may not have: %s', (path, source, rule) => {
  expect(wrongImports(path, `/* a\n comment */\n\n${source}\n`)).toEqual([
    { line: 4, imported: expect.any(String), rule },
  ]);
});
