/** All that the server says of the account: the person, the plan, the subscription and the license. */
import type { AccountState } from '../../../shared/ipc/app-state.ts';
import { Fact, Facts } from '../../components/Facts.tsx';
import { Panel } from '../../components/Panel.tsx';
import { atPeriodEnd } from '../../i18n/account-words.ts';
import { slotsOf } from '../../i18n/slots.ts';
import { dayRange, fullDay } from '../../i18n/times.ts';
import { useSentences } from '../../i18n/use-sentences.ts';
import { useApp } from '../../store.ts';
import { useNow } from '../../use-now.ts';
import { LicenseFact } from './LicenseFact.tsx';
import { PlanFact } from './PlanFact.tsx';
import { SubscriptionFact } from './SubscriptionFact.tsx';

export function FullAccount() {
  const { t } = useSentences();
  const session = useApp((app) => app.session);
  if (session.kind !== 'signed-in') return null;
  const { user, account } = session;
  return (
    <Panel title={t('account.title')}>
      <Facts>
        {user.full_name.trim() !== '' && <Fact name={t('account.fullName')}>{user.full_name}</Fact>}
        <Fact name={t('account.email')}>{user.email}</Fact>
        {account !== null && (
          <>
            <PlanFact withEnd={false} />
            <SubscriptionFact account={account} />
            <PeriodFacts account={account} />
            <LicenseFact account={account} />
            <SlotsFact account={account} />
          </>
        )}
      </Facts>
      {account === null && <p className="hint panel-more">{t('license.unknown')}</p>}
    </Panel>
  );
}

type Props = { readonly account: AccountState };

function PeriodFacts({ account: { subscription } }: Props) {
  const { t, locale } = useSentences();
  const now = useNow();
  if (subscription === null) return null;
  const { current_period_start: start, current_period_end: end } = subscription;
  return (
    <>
      <Fact name={t('account.period')}>
        <span className="tabular">{dayRange(start, end, locale)}</span>
      </Fact>
      <Fact name={t(`account.atEnd.${atPeriodEnd(subscription, now)}`)}>
        <span className="tabular">{fullDay(end, locale)}</span>
      </Fact>
    </>
  );
}

function SlotsFact({ account }: Props) {
  const { t } = useSentences();
  const slots = slotsOf(account.license);
  if (slots === null) return null;
  return (
    <Fact name={t('overview.activations')}>
      <span className="tabular">{t('overview.activationsUsed', slots)}</span>
    </Fact>
  );
}
