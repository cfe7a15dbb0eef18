/** The plan, and when it renews or ends. */
import { Fact } from '../../components/Facts.tsx';
import { atPeriodEnd } from '../../i18n/account-words.ts';
import { planName } from '../../i18n/plan-name.ts';
import { shortDay } from '../../i18n/times.ts';
import { useSentences } from '../../i18n/use-sentences.ts';
import { useApp } from '../../store.ts';
import { useNow } from '../../use-now.ts';

export function PlanFact({ withEnd }: { readonly withEnd: boolean }) {
  const { t, locale } = useSentences();
  const now = useNow();
  const account = useApp((app) => (app.session.kind === 'signed-in' ? app.session.account : null));
  const subscription = account?.subscription ?? null;
  const plan = subscription?.plan ?? account?.license?.plan;
  const end =
    withEnd &&
    subscription !== null &&
    t(`overview.${atPeriodEnd(subscription, now)}`, { when: shortDay(subscription.current_period_end, now, locale) });
  return (
    <Fact name={t('overview.plan')} more={end}>
      {plan === undefined ? t('account.none') : planName(plan, t)}
    </Fact>
  );
}
