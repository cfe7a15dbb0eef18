/** The plan and how long it runs. */
import { Fact } from '../../components/Facts.tsx';
import { useApp } from '../../store.ts';
import { planName } from '../../text/plan-name.ts';
import { shortDay } from '../../text/times.ts';
import { useSentences } from '../../text/use-sentences.ts';
import { useNow } from '../../use-now.ts';

export function PlanFact() {
  const { t, locale } = useSentences();
  const now = useNow();
  const account = useApp((app) => (app.session.kind === 'signed-in' ? app.session.account : null));
  const subscription = account?.subscription ?? null;
  const plan = subscription?.plan ?? account?.license?.plan;
  if (plan === undefined) return null;
  const when = subscription === null ? '' : shortDay(subscription.current_period_end, now, locale);
  return (
    <Fact
      name={t('overview.plan')}
      more={
        subscription !== null &&
        (subscription.cancel_at_period_end ? t('overview.ends', { when }) : t('overview.renews', { when }))
      }
    >
      {planName(plan, t)}
    </Fact>
  );
}
