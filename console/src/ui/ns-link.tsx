'use client';

import { Anchor, type AnchorProps } from '@mantine/core';
import Link from 'next/link';
import { useSearchParams } from 'next/navigation';
import type { ReactNode } from 'react';

/** The address of another page of the console, in the namespace that is being looked at. */
export function useNamespaceHref(): (href: string) => string {
  const ns = useSearchParams().get('ns');
  return (href) =>
    ns === null || /[?&]ns=/.test(href) ? href : `${href}${href.includes('?') ? '&' : '?'}ns=${encodeURIComponent(ns)}`;
}

/** A link to another page that keeps the namespace. */
export function NsLink({
  href,
  children,
  ...props
}: AnchorProps & { href: string; children: ReactNode; 'aria-label'?: string }) {
  const withNamespace = useNamespaceHref();
  return (
    <Anchor component={Link} href={withNamespace(href)} prefetch={false} {...props}>
      {children}
    </Anchor>
  );
}
