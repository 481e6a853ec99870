import type { Metadata } from 'next';
import { NewPolicyPage } from '@/features/policies/new-policy-page';

export const metadata: Metadata = { title: 'New policy' };

export default function Page() {
  return <NewPolicyPage />;
}
