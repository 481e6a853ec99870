'use client';

import { Button, type ButtonProps, Tooltip } from '@mantine/core';
import type { MouseEvent, ReactNode } from 'react';

export interface Right {
  readonly allowed: boolean;
  /** Why not, for a person. */
  readonly reason: string | null;
}

/**
 * A button that a missing right disables. It stays reachable by keyboard, and its tooltip says which right is missing:
 * a truly disabled element could be neither focused nor read.
 */
export function GuardedButton({
  needs,
  onClick,
  children,
  ...props
}: ButtonProps & {
  /** The right that the button asks for. */
  needs: Right;
  onClick: () => void;
  children: ReactNode;
  'aria-label'?: string;
  type?: 'button' | 'submit';
}) {
  const button = (
    <Button
      {...props}
      {...(needs.allowed ? {} : { 'data-disabled': true, 'aria-disabled': true })}
      onClick={(event: MouseEvent) => {
        if (needs.allowed) onClick();
        else event.preventDefault();
      }}
    >
      {children}
    </Button>
  );
  if (needs.allowed) return button;
  return <Tooltip label={needs.reason ?? 'You lack the right to do this.'}>{button}</Tooltip>;
}
