import type { ReactNode } from 'react';
import classes from './filter-bar.module.css';

/** The search and filters of a list, side by side; in two columns on a narrow screen. */
export function FilterBar({ label, children }: { label: string; children: ReactNode }) {
  return (
    <search aria-label={label} className={classes.bar}>
      {children}
    </search>
  );
}
