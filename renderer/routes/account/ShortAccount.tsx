/** The account at a glance: who is signed in, the plan, the subscription and the license. */
import { Fact, Facts } from '../../components/Facts.tsx';
import { Panel } from '../../components/Panel.tsx';
import { PlaceLink } from '../../components/PlaceLink.tsx';
import { useSentences } from '../../i18n/use-sentences.ts';
import { useApp } from '../../store.ts';
import { LicenseFact } from './LicenseFact.tsx';
import { PlanFact } from './PlanFact.tsx';
import { SubscriptionFact } from './SubscriptionFact.tsx';

export function ShortAccount() {
  const { t } = useSentences();
  const session = useApp((app) => app.session);
  if (session.kind !== 'signed-in') return null;
  const { user, account } = session;
  return (
    <Panel title={t('account.title')} aside={<PlaceLink place="settings">{t('account.more')}</PlaceLink>}>
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
