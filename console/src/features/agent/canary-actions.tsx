'use client';

import type { Domain } from '@/graphql/types';
import { GuardedButton, type Right } from '@/ui/guarded-button';
import type { AgentVersion } from './agent.operations';

/** What an operator does about a canary: stop it, or let it into production without waiting any longer. */
export function CanaryActions({
  version: { version, domain, canary },
  needs,
  onChoose,
}: {
  version: AgentVersion;
  needs: Right;
  onChoose: (domain: Domain) => void;
}) {
  const isHeldBack = domain === 'STAGING' && canary !== null;
  const isOnTrial = canary?.state === 'ON_TRIAL';
  return (
    <>
      {isOnTrial && (
        <GuardedButton
          size="compact-xs"
          variant="default"
          needs={needs}
          aria-label={`Stop canary ${version}`}
          onClick={() => onChoose('STAGING')}
        >
          Stop
        </GuardedButton>
      )}
      {(isOnTrial || isHeldBack) && (
        <GuardedButton
          size="compact-xs"
          variant="default"
          needs={needs}
          aria-label={`Release version ${version}`}
          onClick={() => onChoose('PRODUCTION')}
        >
          Release
        </GuardedButton>
      )}
    </>
  );
}
