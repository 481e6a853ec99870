'use client';

import { Alert, List } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useRights } from '@/features/shell/use-rights';
import { useQuery } from '@/graphql/use-query';
import { AUDIT_HEALTH } from './audit.operations';
import { faultsOf } from './audit-faults';

const ASK_MS = 15_000;

/** Says when the audit is not complete or cannot be trusted, to those who may see all of it. */
export function AuditAlarm() {
  const { allowed } = useRights(undefined)('audit.read');
  const { data, refetch } = useQuery(AUDIT_HEALTH, {}, { skip: !allowed });
  useEffect(() => {
    if (!allowed) return;
    const timer = setInterval(refetch, ASK_MS);
    return () => clearInterval(timer);
  }, [allowed, refetch]);

  const faults = data === undefined ? [] : faultsOf(data.auditHealth);
  if (faults.length === 0) return null;
  return (
    <Alert
      role="alert"
      color="red"
      variant="light"
      icon={<IconAlertTriangle size={18} />}
      title="The audit is not what it should be"
      my="sm"
    >
      <List size="sm">
        {faults.map((fault) => (
          <List.Item key={fault}>{fault}</List.Item>
        ))}
      </List>
    </Alert>
  );
}
