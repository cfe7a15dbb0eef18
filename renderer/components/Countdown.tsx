/** Seconds until the server takes a request again; read aloud once, not each second. */
import { useState } from 'react';
import { useSentences } from '../i18n/use-sentences.ts';
import { useNow } from '../use-now.ts';

type Props = {
  /** Milliseconds since the epoch. */
  readonly until: number;
  /** What to say once the time is over. */
  readonly after: string;
};

export function Countdown({ until, after }: Props) {
  const { t } = useSentences();
  const seconds = secondsUntil(until, useNow(1000));
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

/** Whole seconds that are left, never negative. */
export function secondsUntil(until: number, now: number): number {
  return Math.max(0, Math.ceil((until - now) / 1000));
}
