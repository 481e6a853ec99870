import { describeMatrix, runMatrix } from './matrix/matrix.js';

/**
 * `npm run faults`: what becomes of calls when something breaks, with real processes. Words given as arguments select
 * the rows whose fault, agent (`websocket`, `http`) or kind (`idempotent`, `once`) they all name. Ends with status 1 when a
 * row breaks its rules.
 */
async function main(words: readonly string[]): Promise<void> {
  const startedAt = performance.now();
  const { rows, failures } = await runMatrix((fault, { transport, idempotent }) => {
    const name = `${fault} ${transport} ${idempotent ? 'idempotent' : 'once'}`.toLowerCase();
    return words.every((word) => name.includes(word.toLowerCase()));
  });
  console.log(describeMatrix(rows));
  const broken = rows.filter((row) => row.broken.length > 0).length;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(`\n${rows.length} rows in ${seconds} s; ${broken === 0 ? 'all keep their rules' : `${broken} broken`}.`);
  for (const failure of failures) console.error(failure);
  process.exitCode = rows.length > 0 && broken === 0 && failures.length === 0 ? 0 : 1;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
