import type { CSSProperties, ReactNode } from 'react';
import { ScrollRegion } from './scroll-region';
import classes from './table.module.css';

/**
 * The one look of tables. Cells marked `data-number` align right; `data-wide` and `data-wider` leave on narrow screens;
 * `data-roomy` keeps a width for sentences, `data-tight` takes no more than its content.
 * `stale` says that the rows answer an older question than the one now asked.
 */
export function DataTable({
  label,
  stale,
  minWidth,
  head,
  children,
}: {
  label: string;
  stale?: boolean;
  /** Under this many pixels the table scrolls sideways instead of breaking its words; fewer where columns leave. */
  minWidth?: number;
  head: ReactNode;
  children: ReactNode;
}) {
  return (
    <ScrollRegion label={label} className={classes.frame}>
      <table
        className={classes.table}
        style={minWidth === undefined ? {} : ({ '--least': `${minWidth}px` } as CSSProperties)}
        aria-label={label}
        data-stale={stale || undefined}
        aria-busy={stale || undefined}
      >
        <thead>
          <tr>{head}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </ScrollRegion>
  );
}
