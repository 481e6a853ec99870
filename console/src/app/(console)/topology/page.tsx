import type { Metadata } from 'next';
import { TopologyPage } from '@/features/topology/topology-page';

export const metadata: Metadata = { title: 'Topology' };

export default function Page() {
  return <TopologyPage />;
}
