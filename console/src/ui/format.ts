/** A duration for people: `0.4 ms`, `52 ms`, `2.5 s`, `1 min 20 s`, `10 min`. */
export function duration(ms: number): string {
  if (ms < 10) return `${trim(ms, 1)} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${trim(ms / 1_000, 1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return twoUnits(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  return twoUnits(Math.floor(seconds / 3_600), 'h', Math.floor((seconds % 3_600) / 60), 'min');
}

export function percent(fraction: number): string {
  return `${Math.round(fraction * 100)} %`;
}

function twoUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

function trim(value: number, digits: number): string {
  return value.toFixed(digits).replace(/\.0$/, '');
}

const CLOCK = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const DAY_AND_CLOCK = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** Local time: the clock alone for today, with the date before that. */
export function localTime(iso: string, now: Date = new Date()): string {
  const time = new Date(iso);
  return time.toDateString() === now.toDateString() ? CLOCK.format(time) : DAY_AND_CLOCK.format(time);
}

/** Local date and time. */
export function localDateTime(iso: string): string {
  return DAY_AND_CLOCK.format(new Date(iso));
}

/** How long ago, roughly: `now`, `40 s ago`, `3 h ago`, `12 d ago`. */
export function ago(iso: string, now: number): string {
  const seconds = Math.round((now - new Date(iso).getTime()) / 1_000);
  if (seconds < 5) return 'now';
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ago`;
  return `${Math.floor(seconds / 86_400)} d ago`;
}
