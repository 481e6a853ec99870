import { graphqlClient } from '../support/graphql.js';
import { findAccess } from './access.js';
import { Crew } from './crew.js';
import { setUp } from './setup.js';
import { NAMESPACE } from './shop.js';
import { Storefront, type Tally } from './storefront.js';

/**
 * `npm run demo`: a small shop on a running server. It makes the namespace, agents, rules and tokens that it needs,
 * starts ten agent processes, and lets customers write to them until Ctrl-C.
 */
const MESSAGES_PER_SECOND = 4;
const TELL_EVERY_MS = 15_000;
/** A terminal and npm may both pass on one Ctrl-C. */
const SAME_SIGNAL_MS = 500;

async function main(): Promise<void> {
  const { apiUrl, consoleUrl, adminToken } = await findAccess(process.env);
  const stopped = untilStopped();
  console.log(`Server ${apiUrl}. Setting up namespace ${NAMESPACE}: agents, rules, tokens …`);
  const credentials = await setUp(graphqlClient(apiUrl, adminToken));
  const crew = new Crew(apiUrl, credentials, (line) => console.log(line));
  console.log('Starting 4 order agents, 3 inventory agents and 3 session agents …');
  let storefront: Storefront | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    await crew.start();
    storefront = new Storefront(apiUrl, credentials.storefront, MESSAGES_PER_SECOND);
    console.log(welcome(consoleUrl, crew.list()));
    const shop = storefront;
    timer = setInterval(() => console.log(lineOf(shop.takeTally())), TELL_EVERY_MS);
    await stopped;
    console.log('\nDraining the agents …');
  } finally {
    clearInterval(timer);
    await storefront?.stop();
    await crew.stop();
  }
  console.log('All agents have said goodbye.');
}

function welcome(consoleUrl: string, processes: readonly string[]): string {
  return `
Ten agent processes are at work, ${MESSAGES_PER_SECOND} customers' messages a second run through them.

${processes.join('\n')}

Where to look, in the console at ${consoleUrl}:
  Agents       who can be reached; order-eu/berlin-2 is under strain for 15 s of every 90
  Topology     who calls whom, how often and how well; what a session agent may not do is red
  Tasks        warehouses being counted, shelf by shelf; one can be cancelled
  Audit        each call with its attempts: sold-out products, refused refunds, slow reports
  Permissions  why a session agent gets no refund: ask "can agent:${NAMESPACE}/session call ${NAMESPACE}/order-eu:order_refund?"
Things to try:
  kill -9 <process id from above>, and see that instance go offline and its calls go elsewhere
  remove the rule for order_query, and see the next question of a customer refused
Ctrl-C ends it.
`;
}

function lineOf({ sent, slowestMs, outcomes }: Tally): string {
  const parts = [...outcomes].sort(([, a], [, b]) => b - a).map(([outcome, count]) => `${count} ${outcome}`);
  return `${sent} messages: ${parts.join(', ')}; slowest ${(slowestMs / 1000).toFixed(2)} s`;
}

/** Resolves at the first Ctrl-C or SIGTERM; a later one ends the demo without waiting for anything. */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    let since: number | undefined;
    const stop = (): void => {
      since ??= performance.now();
      if (performance.now() - since > SAME_SIGNAL_MS) process.exit(130);
      resolve();
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
