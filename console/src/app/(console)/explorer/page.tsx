import type { Metadata } from 'next';
import { ExplorerPage } from '@/features/explorer/explorer-page';

export const metadata: Metadata = { title: 'API explorer' };

export default function Page() {
  return <ExplorerPage />;
}
