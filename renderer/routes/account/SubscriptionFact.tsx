/** How the subscription stands, in words. */
import type { AccountState } from '../../../shared/ipc/app-state.ts';
import { Fact } from '../../components/Facts.tsx';
import { subscriptionStatus } from '../../i18n/account-words.ts';
import { useSentences } from '../../i18n/use-sentences.ts';

export function SubscriptionFact({ account }: { readonly account: AccountState }) {
  const { t } = useSentences();
  const { subscription } = account;
  return (
    <Fact name={t('account.subscription')}>
      {subscription === null ? t('account.none') : subscriptionStatus(subscription.status, t)}
    </Fact>
  );
}
