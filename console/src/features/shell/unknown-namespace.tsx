'use client';

import { Button } from '@mantine/core';
import { Empty } from '@/ui/empty';
import { useUrlState } from '@/ui/url-state';

/** The address names a namespace that doesn't exist, or that the viewer may not see: both look the same. */
export function UnknownNamespace({ namespace }: { namespace: string }) {
  const url = useUrlState();
  return (
    <Empty
      title={`There is no namespace ${namespace}`}
      action={
        <Button variant="default" size="xs" onClick={() => url.set({ ns: null })}>
          Look at all namespaces
        </Button>
      }
    >
      It doesn't exist, or you may not see it.
    </Empty>
  );
}
