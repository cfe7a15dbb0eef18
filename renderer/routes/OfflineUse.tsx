/** Shows until when this device works offline, and lets users extend that before going offline. */
import { RefreshCw } from 'lucide-react';
import { bridge } from '../bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { Fact, Facts } from '../components/Facts.tsx';
import { Panel } from '../components/Page.tsx';
import { showToast } from '../components/toast-store.ts';
import { fullTime, shortDay } from '../i18n/format.ts';
import { useMessages } from '../i18n/messages.ts';
import { offlineUntil } from '../offline-until.ts';
import { canRenewLease, showSignIn, useApp } from '../store.ts';
import { useAction, useFailureToast } from '../use-action.ts';
import { useServerNow } from '../use-server-now.ts';
import { ServerTime } from './ServerTime.tsx';

/** Renders nothing if that is unknown, because nothing works or the server has not been asked yet. */
export function OfflineUse() {
  const { t, locale } = useMessages();
  const until = useApp(offlineUntil);
  if (until === null) return null;
  return (
    <Panel title={t('offlineUse.title')} aside={<RenewButton />}>
      <Facts>
        <Fact name={t('offlineUse.until')} more={<ServerTime at={until} isNext />}>
          <span className="tabular">{fullTime(until, locale)}</span>
        </Fact>
        <LeaseFacts />
      </Facts>
      <OfflineHint />
    </Panel>
  );
}

/** When the server signed the current lease, and when it will be renewed. */
function LeaseFacts() {
  const { t, locale } = useMessages();
  const now = useServerNow();
  const { state, issuedAt, renewAfter } = useApp((app) => app.lease);
  const isSignedIn = useApp((app) => app.session.kind === 'signed-in');
  if (state !== 'good' || issuedAt === null) return null;
  return (
    <>
      <Fact name={t('offlineUse.signed')}>
        <ServerTime at={issuedAt} />
      </Fact>
      {isSignedIn && renewAfter !== null && (
        <Fact name={t('offlineUse.renews')}>
          {Date.parse(renewAfter) <= now
            ? t('offlineUse.nextCheck')
            : t('offlineUse.from', { when: shortDay(renewAfter, now, locale) })}
        </Fact>
      )}
    </>
  );
}

function OfflineHint() {
  const { t } = useMessages();
  const isSignedIn = useApp((app) => app.session.kind === 'signed-in');
  const isLeased = useApp((app) => app.lease.state === 'good');
  const key = !isSignedIn ? 'signedOutHint' : isLeased ? 'leasedHint' : 'checkedHint';
  return <p className="hint panel-more">{t(`offlineUse.${key}`)}</p>;
}

function RenewButton() {
  const { t } = useMessages();
  const showFailure = useFailureToast();
  const { run, pending } = useAction();
  const isSignedIn = useApp((app) => app.session.kind === 'signed-in');
  const canRenew = useApp(canRenewLease);
  if (!isSignedIn) return <ActionButton onPress={() => showSignIn(true)}>{t('credentials.signIn')}</ActionButton>;
  if (!canRenew) return null;
  const renew = () =>
    run(async () => {
      const result = await bridge.renewLease();
      if (result.ok) showToast(t('offlineUse.renewed'));
      else showFailure(result.failure);
      return result;
    });
  return (
    <ActionButton icon={RefreshCw} pending={pending} onPress={() => void renew()}>
      {t('offlineUse.renew')}
    </ActionButton>
  );
}
