/** Self-updating times: how long ago, and how long until a retry. */
import { useMemo, useState } from 'react';
import { exactTime, fullTime, nowText, relativeTime } from '../i18n/format.ts';
import { useSharedMessages } from '../i18n/shared-messages.ts';
import { useNow } from '../use-timers.ts';

type RelativeTimeProps = {
  readonly at: string;
  /** How far this machine's clock is ahead of the one that `at` is from. */
  readonly aheadMs?: number;
  /** Whether it may be still to come. */
  readonly isNext?: boolean;
};

/** Two clocks may differ by this much without anyone noticing. */
const toleranceMs = 5 * 60_000;

/**
 * "2 minutes ago", with the exact time on hover. What has happened is never "in 2 hours", as it would be after the clock
 * is set back: its recorded time is shown instead.
 */
export function RelativeTime({ at, aheadMs = 0, isNext = false }: RelativeTimeProps) {
  const { t, locale } = useSharedMessages();
  const rendered = useNow() - aheadMs;
  const current = Date.now() - aheadMs;
  // Not later than now, as it would be after the clock is set back, but also not before what has just happened.
  const now = Math.max(Math.min(rendered, current), Math.min(Date.parse(at), current));
  const isAhead = !isNext && Date.parse(at) > now;
  const isFarAhead = isAhead && Date.parse(at) - now > toleranceMs;
  // What comes next is "now" when its time has come, and not "just now".
  const isDue = isNext && Date.parse(at) < now;
  const justNow = isNext ? nowText(locale) : t('common.justNow');
  return (
    <time dateTime={at} title={exactTime(at, locale)} className="tabular">
      {isFarAhead
        ? fullTime(at, locale)
        : relativeTime(isAhead || isDue ? new Date(now).toISOString() : at, now, locale, justNow)}
    </time>
  );
}

/** A text in which `<time/>` is replaced by a relative time. */
export function TimedText({ text, ...time }: RelativeTimeProps & { readonly text: string }) {
  const [before, after] = text.split('<time/>');
  return (
    <>
      {before}
      <RelativeTime {...time} />
      {after}
    </>
  );
}

type CountdownProps = {
  /** In ms since 1970. */
  readonly until: number;
  /** Shown when the time is up. */
  readonly after: string;
};

/** Seconds until a retry makes sense; screen readers announce only the first value. */
export function Countdown({ until, after }: CountdownProps) {
  const { t } = useSharedMessages();
  const seconds = useSecondsUntil(until);
  const [first] = useState(seconds);
  if (seconds <= 0) return <span>{after}</span>;
  return (
    <span>
      <span aria-hidden className="tabular">
        {t('common.retryIn', { seconds })}
      </span>
      <span className="visually-hidden">{t('common.retryIn', { seconds: first })}</span>
    </span>
  );
}

/**
 * Returns the whole seconds left until then (in ms since 1970), never negative, updated each second. Setting the clock
 * back does not prolong them.
 */
export function useSecondsUntil(until: number): number {
  useNow(1000);
  const endsAt = useMemo(() => performance.now() + until - Date.now(), [until]);
  return Math.max(0, Math.ceil(Math.min(until - Date.now(), endsAt - performance.now()) / 1000));
}
