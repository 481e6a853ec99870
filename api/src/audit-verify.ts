import { parseArgs } from 'node:util';
import { ReachError } from '@agent-reach/sdk/protocol';
import { auditKeys } from './governance/audit/chain/chain.keys.js';
import { ChainReader } from './governance/audit/chain/chain.reader.js';
import { faultLine, summaryLines } from './governance/audit/chain/chain.report.js';
import { verifyChain } from './governance/audit/chain/chain.verify.js';
import { keptHeadsFile, readKeptHeads } from './governance/audit/chain/kept-heads.js';
import { loadSettings } from './settings.js';
import { withDatabase } from './startup/beside.js';
import { openPrisma } from './storage/prisma.js';
import { openServerKey } from './storage/server-key.js';

/** Exit codes: the audit is as it was stored; it is not; it could not be looked at. */
const EXIT = { SOUND: 0, FAULTS: 1, FAILED: 2 } as const;
/** Beyond them faults are only counted. */
const MAX_PRINTED = 1_000;

/**
 * `reach audit verify`, or `npm run audit:verify`: compares the audit with its chain and with the heads that were kept
 * outside the database, here or in the file that `--heads` names.
 */
async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { heads: { type: 'string' } } });
  const settings = loadSettings();
  const keys = auditKeys(openServerKey(settings.dataDir, settings.secretKey, true));
  const { heads, damaged } = readKeptHeads(values.heads ?? keptHeadsFile(settings.dataDir));
  if (damaged > 0) print(`${damaged} lines of the kept heads are damaged, and were passed over.`);
  const seen = await withDatabase(settings, async (databaseUrl) => {
    const prisma = openPrisma(databaseUrl);
    let printed = 0;
    try {
      return await verifyChain({
        reader: new ChainReader(prisma),
        keys,
        keptHeads: heads,
        onFault: (fault) => {
          printed += 1;
          if (printed <= MAX_PRINTED) print(faultLine(fault));
        },
      });
    } finally {
      await prisma.$disconnect();
    }
  });
  for (const line of summaryLines(seen)) print(line);
  return seen.faults === 0 ? EXIT.SOUND : EXIT.FAULTS;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const reason = error instanceof ReachError ? error.message : error instanceof Error ? error.message : String(error);
  process.stderr.write(`The audit could not be verified: ${reason}\n`);
  process.exitCode = EXIT.FAILED;
}
