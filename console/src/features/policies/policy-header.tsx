'use client';

import { Text } from '@mantine/core';
import { duration } from '@/ui/format';
import type { Right } from '@/ui/guarded-button';
import { NsLink } from '@/ui/ns-link';
import { PageHeader } from '@/ui/page-header';
import { Ago } from '@/ui/time';
import { DeletePolicy } from './delete-policy';
import type { PolicyDetail } from './policies.operations';
import { RolloutBadge } from './rollout-badge';

/** What is in force: the newest version, by whom and why. */
export function PolicyHeader({ policy, right }: { policy: PolicyDetail; right: Right }) {
  return (
    <PageHeader
      above={
        <Text component="div" size="xs" c="dimmed">
          <NsLink href="/policies" size="xs">
            Policies
          </NsLink>{' '}
          / {policy.namespace}
        </Text>
      }
      title={policy.name}
      lead={
        <>
          Version {policy.version}, saved <Ago iso={policy.updatedAt} /> by {policy.author}
          {policy.comment !== '' && <>: “{policy.comment}”</>}. At worst {duration(policy.worstCaseMs)} a call.{' '}
          <RolloutBadge percent={policy.rolloutPercent} />
        </>
      }
      actions={<DeletePolicy policy={policy} right={right} />}
    />
  );
}
