'use client';

import {
  IconCode,
  IconFolders,
  IconHistory,
  IconKey,
  IconListCheck,
  IconRoute,
  IconSitemap,
  IconTopologyStar3,
} from '@tabler/icons-react';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { useNamespaceHref } from '@/ui/ns-link';
import { BrandMark } from './brand-mark';
import classes from './console-shell.module.css';

const PAGES = [
  { href: '/agents', label: 'Agents', Icon: IconTopologyStar3 },
  { href: '/topology', label: 'Topology', Icon: IconSitemap },
  { href: '/tasks', label: 'Tasks', Icon: IconListCheck },
  { href: '/policies', label: 'Policies', Icon: IconRoute },
  { href: '/permissions', label: 'Permissions', Icon: IconKey },
  { href: '/audit', label: 'Audit', Icon: IconHistory },
  { href: '/namespaces', label: 'Namespaces', Icon: IconFolders },
  { href: '/explorer', label: 'API explorer', Icon: IconCode },
];

/** The way between the pages; the namespace goes along. */
export function Navigation({ onNavigate }: { onNavigate: () => void }) {
  const pathname = usePathname();
  const withNamespace = useNamespaceHref();
  return (
    <nav aria-label="Main">
      <Link href={withNamespace('/agents')} className={classes.brand} onClick={onNavigate} prefetch={false}>
        <BrandMark className={classes.brandMark} />
        Agent-Reach
      </Link>
      <ul className={classes.links}>
        {PAGES.map(({ href, label, Icon }) => (
          <li key={href}>
            <Link
              href={withNamespace(href)}
              className={classes.link}
              aria-current={pathname === href || pathname.startsWith(`${href}/`) ? 'page' : undefined}
              onClick={onNavigate}
              prefetch={false}
            >
              <Icon size={17} stroke={1.7} aria-hidden />
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
