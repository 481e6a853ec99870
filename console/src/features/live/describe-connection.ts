import { duration } from '@/ui/format';
import type { Shape, Tone } from '@/ui/mark';
import type { LiveView } from './live-health';

/** A checkpoint comes every 10 s; half as long again without anything means that something is stuck. */
export const STALE_AFTER_MS = 15_000;

export interface ConnectionWords {
  readonly tone: Tone;
  readonly shape: Shape;
  /** For the eye; counts seconds. */
  readonly short: string;
  /** A sentence that only changes with the state. */
  readonly long: string;
}

/** The state of the live stream in words. `now` is the browser's clock in ms. */
export function describeConnection(live: Pick<LiveView, 'state' | 'lastEventAt'>, now: number): ConnectionWords {
  const ageMs = live.lastEventAt === undefined ? undefined : Math.max(0, now - live.lastEventAt);
  switch (live.state.is) {
    case 'CONNECTING':
      return { tone: 'idle', shape: 'ring', short: 'Connecting', long: 'Connecting to the live stream.' };
    case 'RECONNECTING':
      return {
        tone: 'bad',
        shape: 'square',
        short: `Reconnecting · data is ${duration(wholeSeconds(ageMs ?? now - live.state.since))} old`,
        long: `The live stream was lost at ${new Date(live.state.since).toLocaleTimeString()}; reconnecting.`,
      };
    case 'LIVE':
      return ageMs !== undefined && ageMs > STALE_AFTER_MS
        ? {
            tone: 'warn',
            shape: 'triangle',
            short: `Data is ${duration(wholeSeconds(ageMs))} old`,
            long: 'The live stream is connected but silent.',
          }
        : { tone: 'good', shape: 'disc', short: 'Live', long: 'The live stream is connected.' };
  }
}

const wholeSeconds = (ms: number) => Math.max(1_000, Math.round(ms / 1_000) * 1_000);
