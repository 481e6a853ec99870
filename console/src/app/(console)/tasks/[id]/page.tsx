import type { Metadata } from 'next';
import { TaskPage } from '@/features/tasks/task-page';

interface Props {
  params: Promise<{ id: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `Task ${(await params).id}` };
}

export default async function Page({ params }: Props) {
  return <TaskPage id={(await params).id} />;
}
