/** Self-updating times that the server has set: correct even while this machine's clock is not. */
import { RelativeTime, TimedText } from '../components/Times.tsx';
import { useClockAhead } from '../use-server-now.ts';

export function ServerTime(time: { readonly at: string; readonly isNext?: boolean }) {
  return <RelativeTime {...time} aheadMs={useClockAhead()} />;
}

export function ServerTimedText(timed: { readonly text: string; readonly at: string }) {
  return <TimedText {...timed} aheadMs={useClockAhead()} />;
}
