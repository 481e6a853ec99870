import { type RunningServer, startServer } from '../support/server.js';
import { NAMESPACE } from './payload.js';

/** The product, ready to be measured: its server, and credentials for agents and callers. */
export interface Product {
  readonly server: RunningServer;
  readonly url: string;
  readonly enrolmentKey: string;
  readonly callerToken: string;
}

/** Starts the server with a namespace of the bench, in which a program may call what the agents offer. */
export async function startProduct(): Promise<Product> {
  const server = await startServer({ env: { REACH_LOG_LEVEL: 'warn', NODE_ENV: 'production' } });
  try {
    const { graphql } = server;
    await graphql('mutation ($input: CreateNamespaceInput!) { createNamespace(input: $input) { id } }', {
      input: { id: NAMESPACE, description: 'Agents and callers of the benchmark.' },
    });
    const { issueEnrolmentKey } = await graphql<{ issueEnrolmentKey: { secret: string } }>(
      'mutation ($input: IssueEnrolmentKeyInput!) { issueEnrolmentKey(input: $input) { secret } }',
      { input: { namespace: NAMESPACE, name: 'agents' } },
    );
    const { issueToken } = await graphql<{ issueToken: { secret: string } }>(
      'mutation ($input: IssueTokenInput!) { issueToken(input: $input) { secret } }',
      { input: { namespace: NAMESPACE, kind: 'APP', name: 'caller', role: 'VIEWER' } },
    );
    await graphql('mutation ($input: CreatePermissionInput!) { createPermission(input: $input) { id } }', {
      input: { caller: `app:${NAMESPACE}/caller`, target: `${NAMESPACE}/*`, capability: 'bench_*', effect: 'ALLOW' },
    });
    return {
      server,
      url: `${server.apiUrl.replace('http', 'ws')}/reach`,
      enrolmentKey: issueEnrolmentKey.secret,
      callerToken: issueToken.secret,
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
