'use client';

import Link from 'next/link';
import { duration } from '@/ui/format';
import { NsLink, useNamespaceHref } from '@/ui/ns-link';
import { curve, type Point } from './curve';
import { NODE_WIDTH } from './graph-node';
import type { TopologyEdge } from './topology.operations';
import classes from './topology-graph.module.css';
import { edgeHref } from './topology-links';
import { edgeSentence, edgeTone, failedShare, lineWidth, rate } from './topology-words';

/** The calls of a caller to an agent: a line as thick as they are frequent, and the way to them in the audit. */
export function GraphEdge({
  edge,
  stops,
  label,
  canvas,
  from,
  to,
  minutes,
  quiet,
}: {
  edge: TopologyEdge;
  /** Left sides of the columns that it passes, from the caller on. */
  stops: readonly Point[];
  label: Point;
  canvas: { readonly width: number; readonly height: number };
  from: string;
  to: string;
  minutes: number;
  /** Another part of the drawing is looked at. */
  quiet: boolean;
}) {
  const withNamespace = useNamespaceHref();
  const href = edgeHref(edge, minutes);
  const width = lineWidth(edge.callsPerMinute);
  const { path, head } = curve(stops, NODE_WIDTH, width);
  const sentence = edgeSentence(edge, from, to);
  const failed = failedShare(edge);
  return (
    <li className={classes.edge} data-tone={edgeTone(edge)} data-quiet={quiet || undefined}>
      <svg className={classes.drawing} width={canvas.width} height={canvas.height} aria-hidden="true" focusable="false">
        <title>{sentence}</title>
        <path className={classes.line} d={path} strokeWidth={width} />
        <path className={classes.head} d={head} />
        {/* Lines are thin: what can be clicked is wider than what is seen. By keyboard the label is the link. */}
        <Link href={withNamespace(href)} prefetch={false} tabIndex={-1}>
          <path className={classes.hit} d={path} />
        </Link>
      </svg>
      <NsLink
        href={href}
        className={classes.label}
        style={{ left: label.x, top: label.y }}
        aria-label={`${sentence}. See these calls in Audit.`}
      >
        <span>{rate(edge.callsPerMinute)}</span>
        {failed !== undefined && <span className={classes.failed}>{failed}</span>}
        {failed === undefined && edge.latency !== null && <span>p95 {duration(edge.latency.p95Ms)}</span>}
      </NsLink>
    </li>
  );
}
