import type { Metadata } from 'next';
import { PolicyPage } from '@/features/policies/policy-page';

export const metadata: Metadata = { title: 'Policy' };

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  return <PolicyPage id={(await params).id} />;
}
