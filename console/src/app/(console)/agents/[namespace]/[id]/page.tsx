import type { Metadata } from 'next';
import { AgentPage } from '@/features/agent/agent-page';

interface Props {
  params: Promise<{ namespace: string; id: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { namespace, id } = await params;
  return { title: `${decodeURIComponent(namespace)}/${decodeURIComponent(id)}` };
}

export default async function Page({ params }: Props) {
  const { namespace, id } = await params;
  return <AgentPage agent={`${decodeURIComponent(namespace)}/${decodeURIComponent(id)}`} />;
}
