'use client';

import { Alert, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useMutation } from '@/graphql/use-mutation';
import { GuardedButton, type Right } from '@/ui/guarded-button';
import { say } from '@/ui/say';
import { type PolicyDetail, SET_ROLLOUT } from '../policies.operations';
import { restOfCalls } from '../save/rest-of-calls';
import { RolloutInput } from '../save/rollout-input';
import { SaveFailure } from '../save/save-failure';

/** A version that is for a part of the calls only, and the way to widen it. */
export function RolloutControl({
  policy,
  right,
  onSaved,
}: {
  policy: PolicyDetail;
  right: Right;
  onSaved: (policy: PolicyDetail) => void;
}) {
  const [share, setShare] = useState<number | string>(policy.rolloutPercent);
  const rollout = useMutation(SET_ROLLOUT);
  if (policy.rolloutPercent === 100) return null;
  const percent =
    typeof share === 'number' && Number.isInteger(share) && share >= 1 && share <= 100 ? share : undefined;
  const set = async (to: number) => {
    const answer = await rollout.run({ id: policy.id, percent: to, expectedVersion: policy.version });
    if (answer === undefined) return;
    say(`Version ${policy.version} is for ${to} % of the calls now`);
    onSaved(answer.setPolicyRollout.policy);
  };
  const needs: Right =
    percent === undefined
      ? { allowed: false, reason: 'The share must be a whole number from 1 to 100.' }
      : percent === policy.rolloutPercent
        ? { allowed: false, reason: 'That is its share already.' }
        : right;
  return (
    <Alert
      color="yellow"
      variant="light"
      mb="md"
      title={`Version ${policy.version} is for ${policy.rolloutPercent} % of the calls`}
      role="region"
    >
      <Text size="sm" mb="xs">
        The others use {restOfCalls(policy.stableVersion)}. Which calls these are, their request id decides; it stays so
        while the share grows.
      </Text>
      <Group gap="xs" align="flex-end">
        <div style={{ flex: '1 1 300px', maxWidth: 620 }}>
          <RolloutInput
            value={share}
            onChange={setShare}
            rest={restOfCalls(policy.stableVersion)}
            valid={percent !== undefined}
          />
        </div>
        <GuardedButton
          needs={needs}
          loading={rollout.running}
          onClick={() => percent !== undefined && void set(percent)}
        >
          Set the share
        </GuardedButton>
      </Group>
      {rollout.failure !== undefined && <SaveFailure failure={rollout.failure} policy={policy} onLook={onSaved} />}
    </Alert>
  );
}
