import type { ReactNode } from 'react';

/** Ids, refs and names as the API writes them. */
export function Mono({ children, wrap = true }: { children: ReactNode; wrap?: boolean }) {
  return (
    <span
      style={{
        fontFamily: 'var(--mantine-font-family-monospace)',
        fontSize: '0.94em',
        ...(wrap ? { overflowWrap: 'anywhere' } : { whiteSpace: 'nowrap' }),
      }}
    >
      {children}
    </span>
  );
}
