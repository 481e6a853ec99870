import type { HeartbeatAnswerFrame, InstanceRef, InstanceReport } from '../protocol/index.js';
import type { Clock } from './clock.js';

/** What the heartbeats need of their connection. */
export interface HeartbeatHost {
  /** The reports of all registered instances of this connection. */
  reports(): readonly InstanceReport[];
  send(text: string): boolean;
  /** Runs at each beat, after the frame was sent. */
  onBeat(): void;
}

interface Lease {
  intervalMs: number;
  dueAt: number;
}

/** Reports of a changed state leave at once, but no closer together than this. */
const MIN_GAP_MS = 100;

/**
 * One beat for a whole connection. It never stretches; each instance's report rides on it at the interval that the
 * server named last.
 */
export class Heartbeats {
  private readonly leases = new Map<InstanceRef, Lease>();
  private beatMs = 0;
  private sentAt = 0;
  /** When the latest beat of the connection was due, or its start. */
  private lastBeatAt = 0;
  private readonly changed = new Set<InstanceRef>();
  private cancelBeat: (() => void) | undefined;
  private cancelSoon: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly host: HeartbeatHost,
  ) {}

  start(beatMs: number): void {
    this.stop();
    this.beatMs = beatMs;
    this.lastBeatAt = this.clock.now();
    this.schedule();
  }

  stop(): void {
    this.cancelBeat?.();
    this.cancelSoon?.();
    this.cancelBeat = undefined;
    this.cancelSoon = undefined;
    this.leases.clear();
    this.changed.clear();
    this.beatMs = 0;
  }

  /** The interval that the server named for an instance, at registration or in an answer. */
  setInterval(instance: InstanceRef, intervalMs: number): void {
    const lease = this.leases.get(instance);
    if (lease !== undefined) {
      if (lease.intervalMs === intervalMs) return;
      lease.dueAt += intervalMs - lease.intervalMs;
      lease.intervalMs = intervalMs;
    } else this.leases.set(instance, { intervalMs, dueAt: this.clock.now() + intervalMs });
    this.schedule();
  }

  forget(instance: InstanceRef): void {
    this.leases.delete(instance);
    this.changed.delete(instance);
  }

  /** The server also tells of a shorter interval by itself. */
  onAnswer(frame: HeartbeatAnswerFrame): void {
    for (const { instance, intervalMs } of frame.instances)
      if (this.leases.has(instance)) this.setInterval(instance, intervalMs);
  }

  /** Reports an instance now, because its state has changed. */
  beatSoon(instance: InstanceRef): void {
    if (this.beatMs === 0) return;
    this.changed.add(instance);
    if (this.cancelSoon !== undefined) return;
    const waitMs = Math.max(0, this.sentAt + MIN_GAP_MS - this.clock.now());
    this.cancelSoon = this.clock.after(waitMs, () => {
      this.cancelSoon = undefined;
      this.beat(0);
    });
  }

  private beat(horizonMs: number): void {
    const now = this.clock.now();
    const due = this.host.reports().filter((report) => {
      const lease = this.leases.get(report.instance);
      if (lease === undefined) return false;
      if (lease.dueAt > now + horizonMs && !this.changed.has(report.instance)) return false;
      lease.dueAt = now + lease.intervalMs;
      return true;
    });
    this.changed.clear();
    this.sentAt = now;
    this.host.send(JSON.stringify({ type: 'heartbeat', instances: due }));
    this.host.onBeat();
  }

  private schedule(): void {
    this.cancelBeat?.();
    let periodMs = this.beatMs;
    for (const lease of this.leases.values()) periodMs = Math.min(periodMs, lease.intervalMs);
    // From the latest beat on: however often intervals change, the connection's own beat is never put off.
    const waitMs = Math.max(0, this.lastBeatAt + periodMs - this.clock.now());
    this.cancelBeat = this.clock.after(waitMs, () => {
      this.lastBeatAt = this.clock.now();
      // What is due before the middle of the next period rides along, so that no report is ever late by a period.
      this.beat(periodMs / 2);
      this.schedule();
    });
  }
}
