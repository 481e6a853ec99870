import type { ReactNode } from 'react';
import classes from './mark.module.css';

export type Tone = 'good' | 'warn' | 'bad' | 'idle' | 'busy';
export type Shape = 'disc' | 'triangle' | 'square' | 'ring' | 'pause' | 'arrow' | 'check' | 'cross' | 'bar';

/** A state told three ways: by shape, by word and by colour. */
export function Mark({ tone, shape, children }: { tone: Tone; shape: Shape; children: ReactNode }) {
  return (
    <span className={classes.mark} data-tone={tone}>
      <svg className={classes.shape} viewBox="0 0 12 12" width="11" height="11" aria-hidden="true" focusable="false">
        {SHAPES[shape]}
      </svg>
      <span>{children}</span>
    </span>
  );
}

const line = {
  fill: 'none',
  stroke: 'currentColor',
  strokeWidth: 2,
  strokeLinecap: 'round',
  strokeLinejoin: 'round',
} as const;

const SHAPES: Record<Shape, ReactNode> = {
  disc: <circle cx="6" cy="6" r="4.5" fill="currentColor" />,
  ring: <circle cx="6" cy="6" r="4" {...line} strokeDasharray="2.6 2.4" />,
  triangle: <path d="M6 1.2 11.3 10.6H0.7Z" fill="currentColor" />,
  square: <path d="M1.5 1.5h9v9h-9z" fill="currentColor" />,
  pause: <path d="M2.5 1.5h2.6v9H2.5zM6.9 1.5h2.6v9H6.9z" fill="currentColor" />,
  arrow: <path d="M6 1.5v8M2.5 6.2 6 9.8l3.5-3.6" {...line} />,
  check: <path d="M1.8 6.5 4.8 9.3 10.2 2.9" {...line} />,
  cross: <path d="M2.2 2.2l7.6 7.6M9.8 2.2 2.2 9.8" {...line} />,
  bar: <path d="M2 6h8" {...line} strokeWidth={3} />,
};
