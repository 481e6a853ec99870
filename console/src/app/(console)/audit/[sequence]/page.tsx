import type { Metadata } from 'next';
import { EntryPage } from '@/features/audit/entry-page';

interface Props {
  params: Promise<{ sequence: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `Audit #${(await params).sequence}` };
}

export default async function Page({ params }: Props) {
  return <EntryPage sequence={(await params).sequence} />;
}
