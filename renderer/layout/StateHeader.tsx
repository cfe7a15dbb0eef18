/** The state header: the license state in a sentence, with a button for its remedy. */
import { Check, Info, RefreshCw } from 'lucide-react';
import type { Reachability } from '../../shared/ipc/app-state.ts';
import { worksSignedOut } from '../../shared/ipc/works-signed-out.ts';
import { bridge } from '../bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { ToneIcon } from '../components/Banner.tsx';
import { FailureDetails } from '../components/FailureAlert.tsx';
import { Popover } from '../components/Popover.tsx';
import { TimedText } from '../components/Times.tsx';
import { failureMessage } from '../i18n/failure-message.ts';
import { licenseMessage, type Remedy } from '../i18n/license-message.ts';
import { useMessages } from '../i18n/messages.ts';
import { useOpenPlans } from '../open-plans.ts';
import { ActivateAgain } from '../routes/ActivatePanel.tsx';
import { goTo, type Route } from '../routing.ts';
import { askSetting, canActivateAgain, useApp, useStore } from '../store.ts';
import { useAction, useFailureToast } from '../use-action.ts';
import { useBriefly, useDelayed, useNow } from '../use-timers.ts';
import { DoctorButton } from './DoctorButton.tsx';

export function StateHeader() {
  const { t, locale } = useMessages();
  const now = useNow();
  const license = useApp((app) => app.license);
  const slow = useDelayed(useApp((app) => app.syncing));
  const activateAgain = useApp(canActivateAgain);
  const releasedElsewhere = useApp((app) => app.thisDevice?.releasedElsewhere ?? false);
  const plansPage = useApp((app) => app.app.links.includes('plans'));
  const isSignedOut = useApp(worksSignedOut);
  const leaseProblem = useApp((app) => app.lease.problem);
  const context = {
    t,
    locale,
    now,
    canActivateAgain: activateAgain,
    releasedElsewhere,
    isSignedOut,
    plansPage,
    leaseProblem,
  };
  const message = licenseMessage(license, context);
  const isFirstCheck = license.kind === 'unknown' && slow;
  return (
    <header className={`state-header state-${message.tone}`}>
      {/* Only the message is announced, and as a whole; the buttons change more often and are not. */}
      <div className="state" role="status" aria-label={t('license.label')} aria-atomic={false}>
        <span className="state-badge">
          <ToneIcon tone={message.tone} />
        </span>
        <p className="state-message" aria-atomic>
          <strong>{isFirstCheck ? t('license.checking') : message.headline}</strong>{' '}
          {!isFirstCheck && <span>{message.detail}</span>}
        </p>
        <div className="state-actions" aria-live="off">
          <ConnectionStatus />
          {message.remedy !== null && <RemedyButton remedy={message.remedy} />}
          {!isSignedOut && <CheckNow />}
        </div>
      </div>
    </header>
  );
}

function CheckNow() {
  const { t } = useMessages();
  const showFailure = useFailureToast();
  const syncing = useApp((app) => app.syncing);
  const { pending, run } = useAction();
  const [succeeded, setSucceeded] = useBriefly<true>();
  const check = () => {
    setSucceeded(null);
    return run(async () => {
      const result = await bridge.syncNow();
      setSucceeded(result.ok || null);
      if (!result.ok) showFailure(result.failure);
      return result;
    });
  };
  return (
    <>
      <ActionButton
        className="check-now"
        icon={succeeded ? Check : RefreshCw}
        // A background sync does not cover everything, so a sync requested by the user runs after it.
        busy={syncing}
        pending={pending}
        onPress={() => void check()}
      >
        {t('license.checkNow')}
      </ActionButton>
      {/* Otherwise nothing would be announced of a check that has changed nothing. */}
      <span className="visually-hidden" aria-live="polite">
        {succeeded && t('license.checkDone')}
      </span>
    </>
  );
}

/** The time of the last license check; while offline, a button that explains why. */
function ConnectionStatus() {
  const { t } = useMessages();
  const reachability = useApp((app) => app.server.reachability);
  const checkedAt = useApp((app) => (app.session.kind === 'signed-in' ? app.session.account?.checkedAt : undefined));
  if (reachability.kind !== 'offline') {
    if (checkedAt === undefined) return null;
    return (
      <span className="state-checked">
        <TimedText text={t('license.checked')} at={checkedAt} />
      </span>
    );
  }
  return <OfflineDetails reachability={reachability} />;
}

type Offline = Extract<Reachability, { kind: 'offline' }>;

function OfflineDetails({ reachability: { failure, nextTryAt } }: { readonly reachability: Offline }) {
  const { t } = useMessages();
  const { what, help } = failureMessage(failure, t);
  return (
    <Popover
      role="dialog"
      label={what}
      placement="below"
      buttonClassName="button button-quiet"
      button={
        <>
          <Info className="icon" aria-hidden />
          <span className="button-text">{t('license.details')}</span>
        </>
      }
    >
      {(close) => (
        <div className="dialog">
          <h2>{what}</h2>
          <p className="dialog-text">
            {help} {nextTryAt !== null && <TimedText text={t('license.nextTry')} at={nextTryAt} isNext />}
          </p>
          <DoctorButton onPress={close} />
          <FailureDetails failure={failure} />
        </div>
      )}
    </Popover>
  );
}

const remedyRoutes: Readonly<Partial<Record<Remedy, Route>>> = {
  enterKey: 'devices',
  activateAgain: 'devices',
  enterAnotherKey: 'devices',
  seeUpdates: 'installer',
  changeServer: 'settings',
};

/** Hidden on the screen that it would open. */
function RemedyButton({ remedy }: { readonly remedy: Remedy }) {
  const { t } = useMessages();
  const showFailure = useFailureToast();
  const openPlans = useOpenPlans();
  const currentRoute = useStore((store) => store.route);
  const route = remedyRoutes[remedy];
  if (route === currentRoute) return null;
  if (remedy === 'activateAgain') {
    return <ActivateAgain onFailure={showFailure} />;
  }
  const open = () => {
    if (remedy === 'changeServer') askSetting('server');
    else if (route === undefined) openPlans();
    else goTo(route);
  };
  return (
    <ActionButton variant="primary" onPress={open}>
      {t(`license.${remedy}`)}
    </ActionButton>
  );
}
