'use client';

import { Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import type { Action } from '@/features/shell/use-rights';
import { IssueTokenDialog } from '@/features/tokens/issue-token-dialog';
import { RevokeTokenDialog } from '@/features/tokens/revoke-token-dialog';
import type { TokenRow } from '@/features/tokens/tokens.operations';
import { useQuery } from '@/graphql/use-query';
import { DataTable } from '@/ui/data-table';
import { Empty } from '@/ui/empty';
import { FailureNotice } from '@/ui/failure-notice';
import { GuardedButton, type Right } from '@/ui/guarded-button';
import { Mark } from '@/ui/mark';
import { Mono } from '@/ui/mono';
import { RowsSkeleton } from '@/ui/rows-skeleton';
import { Section } from '@/ui/section';
import { Ago, Time } from '@/ui/time';
import { AGENT_TOKENS, type AgentDetail } from './agent.operations';

/** The agent's tokens: two may be live at once, so that one can follow the other without a gap. */
export function AgentTokens({ agent, right }: { agent: AgentDetail; right: (action: Action) => Right }) {
  const { data, failure, refetch } = useQuery(AGENT_TOKENS, { ref: agent.ref });
  const [issuing, dialog] = useDisclosure(false);
  const [revoking, setRevoking] = useState<TokenRow>();
  const tokens = data?.agent?.tokens;
  const issue = (
    <GuardedButton size="xs" needs={right('tokens.issue')} onClick={dialog.open}>
      Issue token
    </GuardedButton>
  );
  return (
    <Section
      title="Tokens"
      note="Two may be live at once: issue the next, move the agent over, revoke the old one."
      actions={issue}
    >
      {failure !== undefined && <FailureNotice failure={failure} onRetry={refetch} />}
      {tokens === undefined && failure === undefined && <RowsSkeleton rows={3} />}
      {tokens?.length === 0 && (
        <Empty title="No token yet">The agent joins with one; it is shown once, with a snippet that uses it.</Empty>
      )}
      {tokens !== undefined && tokens.length > 0 && (
        <DataTable
          label="Tokens"
          minWidth={560}
          head={
            <>
              <th scope="col">Token</th>
              <th scope="col">State</th>
              <th scope="col">Last used</th>
              <th scope="col">Issued</th>
              <th scope="col" data-tight>
                Actions
              </th>
            </>
          }
        >
          {tokens.map((token) => (
            <tr key={token.id}>
              <th scope="row">
                {token.name}
                <Text size="xs" c="dimmed">
                  <Mono>{token.prefix}…</Mono>
                </Text>
              </th>
              <td>
                <TokenState token={token} />
              </td>
              <td>{token.lastUsedAt === null ? 'never' : <Ago iso={token.lastUsedAt} />}</td>
              <td>
                <Time iso={token.createdAt} /> by {token.createdBy}
              </td>
              <td>
                {token.revokedAt === null && (
                  <GuardedButton
                    size="compact-xs"
                    variant="default"
                    needs={right('tokens.issue')}
                    aria-label={`Revoke token ${token.name}`}
                    onClick={() => setRevoking(token)}
                  >
                    Revoke
                  </GuardedButton>
                )}
              </td>
            </tr>
          ))}
        </DataTable>
      )}
      <IssueTokenDialog
        opened={issuing}
        agent={agent.ref}
        agentType={agent.type}
        onClose={dialog.close}
        onIssued={refetch}
      />
      <RevokeTokenDialog token={revoking} onClose={() => setRevoking(undefined)} onRevoked={refetch} />
    </Section>
  );
}

function TokenState({ token }: { token: TokenRow }) {
  if (token.revokedAt !== null) {
    return (
      <Mark tone="idle" shape="bar">
        Revoked
      </Mark>
    );
  }
  if (token.expiresAt === null) {
    return (
      <Mark tone="good" shape="check">
        Live
      </Mark>
    );
  }
  const over = new Date(token.expiresAt).getTime() <= Date.now();
  return (
    <>
      <Mark tone={over ? 'idle' : 'good'} shape={over ? 'bar' : 'check'}>
        {over ? 'Expired' : 'Live'}
      </Mark>
      <Text size="xs" c="dimmed">
        {over ? 'since' : 'until'} <Time iso={token.expiresAt} />
      </Text>
    </>
  );
}
