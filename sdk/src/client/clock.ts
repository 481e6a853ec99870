/** Time and chance as the client sees them; tests bring their own. */
export interface Clock {
  /** Monotonic milliseconds. */
  now(): number;
  /** Wall clock, milliseconds since 1970. */
  wall(): number;
  /** 0 to 1, as Math.random. */
  random(): number;
  /** Runs once after `ms`; the answer cancels it. */
  after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  random: () => Math.random(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
