import type { Metadata } from 'next';
import { NamespacePage } from '@/features/namespaces/namespace-page';

interface Props {
  params: Promise<{ id: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `Namespace ${(await params).id}` };
}

export default async function Page({ params }: Props) {
  return <NamespacePage id={(await params).id} />;
}
