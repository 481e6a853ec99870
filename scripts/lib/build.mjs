import { existsSync, rmSync } from 'node:fs';
import { at } from './checkout.mjs';
import { hashOf, isUpToDate, stamp } from './stamp.mjs';
import { step } from './step.mjs';

const node = process.execPath;
const COMMON = ['tsconfig.json', 'tsconfig.base.json', 'prisma/schema.prisma', 'package-lock.json'];

/**
 * Builds what changed since the last build: the database client, the server, the console and, unless only the product is
 * wanted, the programs of e2e/.
 *
 * @param {{ onlyProduct?: boolean }} [options]
 */
export async function build({ onlyProduct = false } = {}) {
  await part(at('api/src/storage/generated'), ['prisma/schema.prisma', 'package-lock.json'], generateClient);
  await part(at('api/dist'), [...COMMON, 'sdk', 'api'], () => compile('the server', ['sdk', 'api']));
  if (!onlyProduct) await part(at('e2e/dist'), [...COMMON, 'sdk', 'api', 'e2e'], () => compile('e2e', ['e2e']));
  await part(at('console/.next'), ['console', 'sdk/src', 'package-lock.json'], buildConsole);
}

async function part(output, inputs, make) {
  const hash = hashOf(inputs.map((input) => at(input)));
  if (isUpToDate(output, hash)) return;
  await make();
  stamp(output, hash);
}

function generateClient() {
  return step(
    'Generating the database client',
    [node, at('node_modules/prisma/build/index.js'), 'generate', '--schema', at('prisma/schema.prisma')],
    {
      env: {
        // Generating needs no engine, but without this Prisma downloads one; any existing file will do.
        PRISMA_SCHEMA_ENGINE_BINARY: node,
        CHECKPOINT_DISABLE: '1',
        PRISMA_HIDE_UPDATE_MESSAGE: '1',
      },
    },
  );
}

async function compile(name, projects) {
  for (const project of projects) {
    // The compiler trusts its own notes even when the files that they tell of were deleted.
    if (!existsSync(at(project, 'dist'))) rmSync(at(project, 'tsconfig.tsbuildinfo'), { force: true });
  }
  const paths = projects.map((project) => at(project));
  await step(`Compiling ${name}`, [node, at('node_modules/typescript/bin/tsc'), '--build', ...paths]);
}

function buildConsole() {
  return step('Building the console', [node, at('node_modules/next/dist/bin/next'), 'build', at('console')], {
    env: { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' },
    cwd: at('console'),
  });
}
