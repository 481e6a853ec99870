import type { StreamState } from '@/graphql/stream';
import { Mark } from '@/ui/mark';

/** Whether a list that follows a stream of its own really is live. */
export function StreamMark({ state }: { state: StreamState }) {
  switch (state.is) {
    case 'CONNECTING':
      return (
        <Mark tone="idle" shape="ring">
          Connecting
        </Mark>
      );
    case 'LIVE':
      return (
        <Mark tone="good" shape="disc">
          Following
        </Mark>
      );
    case 'RECONNECTING':
      return (
        <Mark tone="bad" shape="square">
          Reconnecting since {new Date(state.since).toLocaleTimeString()}
        </Mark>
      );
  }
}
