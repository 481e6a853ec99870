import { Text } from '@mantine/core';
import { NsLink } from '@/ui/ns-link';
import type { TopologyNode } from './topology.operations';
import { nodeHref } from './topology-links';
import { nodeKind, nodeName } from './topology-words';

/** A node in a row: the way to its page, and what it is where that is no agent. */
export function NodeLink({
  node,
  namespace,
  minutes,
}: {
  node: TopologyNode;
  namespace: string | undefined;
  minutes: number;
}) {
  return (
    <>
      <NsLink href={nodeHref(node, minutes)} size="sm">
        {nodeName(node, namespace)}
      </NsLink>
      {node.agent === null && (
        <Text size="xs" c="dimmed">
          {nodeKind(node)}
        </Text>
      )}
    </>
  );
}
