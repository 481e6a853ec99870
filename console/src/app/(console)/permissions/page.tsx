import type { Metadata } from 'next';
import { PermissionsPage } from '@/features/permissions/permissions-page';

export const metadata: Metadata = { title: 'Permissions' };

export default function Page() {
  return <PermissionsPage />;
}
