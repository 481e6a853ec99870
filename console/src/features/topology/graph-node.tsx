import { Mark } from '@/ui/mark';
import { NsLink } from '@/ui/ns-link';
import { HealthMark } from '@/ui/states';
import type { TopologyNode } from './topology.operations';
import classes from './topology-graph.module.css';
import { nodeHref } from './topology-links';
import { nodeKind } from './topology-words';

export const NODE_WIDTH = 164;
const HEIGHT = 66;
/** What a line about calls that reached nobody takes. */
const LINE = 18;

export function nodeHeight({ unrouted }: Pick<TopologyNode, 'unrouted'>): number {
  return unrouted === null ? HEIGHT : HEIGHT + LINE;
}

/** A caller or agent: what it is and how it is now, and the way to its page. */
export function GraphNode({
  node,
  x,
  y,
  name,
  minutes,
  onPoint,
}: {
  node: TopologyNode;
  x: number;
  /** Of its middle. */
  y: number;
  name: string;
  minutes: number;
  onPoint: (on: boolean) => void;
}) {
  const { agent, unrouted } = node;
  const height = nodeHeight(node);
  return (
    <li
      className={classes.node}
      data-tone={agent === null ? 'idle' : TONES[agent.health]}
      style={{ left: x, top: y - height / 2, width: NODE_WIDTH, height }}
      onMouseEnter={() => onPoint(true)}
      onMouseLeave={() => onPoint(false)}
      onFocus={() => onPoint(true)}
      onBlur={() => onPoint(false)}
    >
      <NsLink href={nodeHref(node, minutes)} className={classes.name}>
        <span title={node.id}>{name}</span>
      </NsLink>
      <span className={classes.kind}>{nodeKind(node)}</span>
      {agent !== null && (
        <span className={classes.state} title={agent.healthReason}>
          {agent.paused ? (
            <Mark tone="warn" shape="pause">
              Paused
            </Mark>
          ) : (
            <HealthMark health={agent.health} />
          )}
          <span>
            {agent.readyCount} of {agent.instanceCount} ready
          </span>
        </span>
      )}
      {unrouted !== null && (
        <Mark tone="bad" shape="cross">
          {unrouted.calls.toLocaleString('en')} reached nobody
        </Mark>
      )}
    </li>
  );
}

const TONES = { HEALTHY: 'good', DEGRADED: 'warn', OFFLINE: 'bad', UNKNOWN: 'idle' } as const;
