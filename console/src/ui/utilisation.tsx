import { percent } from './format';
import classes from './utilisation.module.css';

/** How full something is: a figure, with a bar for the eye. From 0.7 on it counts as degraded, from 0.9 as full. */
export function Utilisation({ value }: { value: number | null }) {
  if (value === null) return <span className={classes.none}>not reported</span>;
  const tone = value > 0.9 ? 'bad' : value > 0.7 ? 'warn' : 'busy';
  return (
    <span className={classes.row}>
      <span className={classes.track} aria-hidden="true">
        <span
          className={classes.fill}
          data-tone={tone}
          style={{ width: `${Math.min(100, Math.max(2, value * 100))}%` }}
        />
      </span>
      <span className={classes.figure}>{percent(value)}</span>
    </span>
  );
}
