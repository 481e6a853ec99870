import type { ReactNode } from 'react';

/** What scrolls must be reachable by keyboard, or it can't be scrolled without a mouse. */
const FOCUSABLE = { tabIndex: 0 };

/** A named region whose content may be larger than its place. */
export function ScrollRegion({
  label,
  className,
  maxHeight,
  children,
}: {
  label: string;
  className: string | undefined;
  maxHeight?: number | undefined;
  children: ReactNode;
}) {
  return (
    <section aria-label={label} className={className} style={{ maxHeight }} {...FOCUSABLE}>
      {children}
    </section>
  );
}
