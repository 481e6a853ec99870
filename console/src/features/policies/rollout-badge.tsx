import { Mark } from '@/ui/mark';

/** For how many of the calls the newest version of a policy is. */
export function RolloutBadge({ percent }: { percent: number }) {
  return percent === 100 ? (
    <Mark tone="good" shape="check">
      In force
    </Mark>
  ) : (
    <Mark tone="warn" shape="triangle">
      {percent} % of calls
    </Mark>
  );
}
