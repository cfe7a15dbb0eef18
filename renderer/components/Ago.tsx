/** An instant said relatively ("2 minutes ago"), with the exact one on hover. */
import { exactTime, relativeTime } from '../i18n/times.ts';
import { useSentences } from '../i18n/use-sentences.ts';
import { useNow } from '../use-now.ts';

export function Ago({ at }: { readonly at: string }) {
  const { t, locale } = useSentences();
  const now = useNow();
  return (
    <time dateTime={at} title={exactTime(at, locale)} className="tabular">
      {relativeTime(at, Math.max(now, Math.min(Date.parse(at), Date.now())), locale, t('common.justNow'))}
    </time>
  );
}
