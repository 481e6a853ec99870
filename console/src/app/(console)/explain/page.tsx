import type { Metadata } from 'next';
import { ExplainPage } from '@/features/explain/explain-page';

export const metadata: Metadata = { title: 'Explain a route' };

export default function Page() {
  return <ExplainPage />;
}
