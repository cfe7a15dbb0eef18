/** The account as the server reports it: a summary for the overview, and full details for the settings. */
import type { AccountState } from '../../shared/ipc/app-state.ts';
import { Fact, Facts } from '../components/Facts.tsx';
import { Panel } from '../components/Page.tsx';
import { activationCount, licenseStatus, shownPeriodEnd, subscriptionStatus } from '../i18n/account-messages.ts';
import { dayRange, fullDay, planName, shortDay } from '../i18n/format.ts';
import { useMessages } from '../i18n/messages.ts';
import { RouteLink } from '../layout/RouteLink.tsx';
import { accountOf, useApp } from '../store.ts';
import { useServerNow } from '../use-server-now.ts';

export function AccountSummary() {
  const { t } = useMessages();
  const session = useApp((app) => app.session);
  if (session.kind !== 'signed-in') return null;
  const { user, account } = session;
  return (
    <Panel title={t('account.title')} aside={<RouteLink route="settings">{t('account.more')}</RouteLink>}>
      <Facts>
        <Fact name={t('account.email')}>{user.email}</Fact>
        {account !== null && (
          <>
            <PlanFact withEnd />
            <SubscriptionFact account={account} />
            <LicenseFact account={account} />
          </>
        )}
      </Facts>
      {account === null && <p className="hint panel-more">{t('license.unknown')}</p>}
    </Panel>
  );
}

export function AccountDetails() {
  const { t } = useMessages();
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
            <ActivationsFact account={account} />
          </>
        )}
      </Facts>
      {account === null && <p className="hint panel-more">{t('license.unknown')}</p>}
    </Panel>
  );
}

type AccountProps = { readonly account: AccountState };

function PeriodFacts({ account: { subscription } }: AccountProps) {
  const { t, locale } = useMessages();
  const now = useServerNow();
  if (subscription === null) return null;
  const atEnd = shownPeriodEnd(subscription, now);
  if (atEnd === null) return null;
  const { current_period_start: start, current_period_end: end } = subscription;
  return (
    <>
      <Fact name={t('account.period')}>
        <span className="tabular">{dayRange(start, end, locale)}</span>
      </Fact>
      <Fact name={t(`account.atEnd.${atEnd}`)}>
        <span className="tabular">{fullDay(end, locale)}</span>
      </Fact>
    </>
  );
}

function ActivationsFact({ account }: AccountProps) {
  const { t } = useMessages();
  const count = activationCount(account.license);
  if (count === null) return null;
  return (
    <Fact name={t('overview.activations')}>
      <span className="tabular">{t('overview.activationsUsed', count)}</span>
    </Fact>
  );
}

function PlanFact({ withEnd }: { readonly withEnd: boolean }) {
  const { t, locale } = useMessages();
  const now = useServerNow();
  const account = useApp(accountOf);
  const subscription = account?.subscription ?? null;
  const plan = subscription?.plan ?? account?.license?.plan;
  const atEnd = withEnd && subscription !== null ? shownPeriodEnd(subscription, now) : null;
  const end =
    subscription !== null &&
    atEnd !== null &&
    t(`overview.${atEnd}`, { when: shortDay(subscription.current_period_end, now, locale) });
  return (
    <Fact name={t('overview.plan')} more={end}>
      {plan === undefined ? t('account.none') : planName(plan, t)}
    </Fact>
  );
}

function SubscriptionFact({ account }: AccountProps) {
  const { t } = useMessages();
  const { subscription } = account;
  return (
    <Fact name={t('account.subscription')}>
      {subscription === null ? t('account.none') : subscriptionStatus(subscription.status, t)}
    </Fact>
  );
}

function LicenseFact({ account }: AccountProps) {
  const { t } = useMessages();
  const { license } = account;
  return (
    <Fact name={t('account.license')} more={license !== null && licenseStatus(license.status, t)}>
      {license === null ? t('account.none') : <span className="mono">{license.keyPreview}</span>}
    </Fact>
  );
}
