/** Updates of the app, as a panel and as a dialog: the running version, the available one, and installing it. */
import { Download, RefreshCw } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { FileProgress as Progress, UpdateReason, UpdatesState } from '../../shared/ipc/updates.ts';
import { bridge } from '../bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { Banner, type Tone } from '../components/Banner.tsx';
import { WideDialog } from '../components/Dialogs.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { FileProgress } from '../components/FileProgress.tsx';
import { Panel } from '../components/Page.tsx';
import { RelativeTime } from '../components/Times.tsx';
import { isConnectionFailure } from '../i18n/failure-message.ts';
import { fullDay } from '../i18n/format.ts';
import { useMessages } from '../i18n/messages.ts';
import { DoctorButton } from '../layout/DoctorButton.tsx';
import { runCommand } from '../run-command.ts';
import { useApp } from '../store.ts';
import { useAction } from '../use-action.ts';
import { WhatsNewButton } from './WhatsNewButton.tsx';

export function UpdatesPanel() {
  const { t } = useMessages();
  return (
    <Panel title={t('updates.title')}>
      <Updates />
    </Panel>
  );
}

/** For a user who is signed out, perhaps because this version cannot sign in. */
export function UpdatesDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useMessages();
  return (
    <WideDialog title={t('updates.title')} onClose={onClose}>
      <Updates />
    </WideDialog>
  );
}

function Updates() {
  const { t } = useMessages();
  const updates = useApp((app) => app.updates);
  const action = useAction();
  const { clear } = action;
  const isRunning = updates.working !== null;
  useEffect(() => {
    // What was said of the last attempt is over, also if this one was begun in the menu.
    if (isRunning) clear();
  }, [isRunning, clear]);
  const [postponed, setPostponed] = useState<string | null>(null);
  const isWorking = isRunning || action.pending;
  const isOffered = updates.available !== null && updates.available !== postponed;
  const isConnectionLost = updates.failure !== null && isConnectionFailure(updates.failure);
  // A failure that is part of the state is shown only once, from there.
  const failure = updates.failure === null ? action.failure : null;
  const check = () => {
    setPostponed(null);
    void action.run(() => bridge.checkForUpdates());
  };
  return (
    <>
      <p className="panel-intro">
        {t('updates.current', { version: updates.current })}
        {updates.checkedAt !== null && (
          <>
            {' '}
            {t('updates.checkedAt')}: <RelativeTime at={updates.checkedAt} />
          </>
        )}
      </p>
      <div aria-live="polite" className="updates-result">
        {isOffered ? (
          <Offer
            updates={updates}
            disabled={isWorking}
            onInstall={() => void action.run(() => bridge.installUpdate())}
            onDownload={() => void action.run(() => bridge.openUpdateDownload())}
            onLater={() => setPostponed(updates.available)}
          />
        ) : (
          updates.available === null && updates.reason !== null && <Reason updates={updates} reason={updates.reason} />
        )}
        {isOffered && isConnectionLost && <Reason updates={updates} reason="unreachable" />}
      </div>
      {updates.progress !== null && <UpdateDownload progress={updates.progress} version={updates.available ?? ''} />}
      {failure !== null && <FailureAlert failure={failure} />}
      <ActionButton icon={RefreshCw} pending={updates.working === 'checking'} disabled={isWorking} onPress={check}>
        {t('updates.check')}
      </ActionButton>
    </>
  );
}

/** Kept outside the live region, because it changes every second. */
function UpdateDownload({ progress, version }: { readonly progress: Progress; readonly version: string }) {
  const { t } = useMessages();
  return (
    <div className="updates-progress">
      <FileProgress
        {...progress}
        label={t('updates.downloading')}
        fileName={`${t('name')} ${version}`}
        onCancel={() => void runCommand(() => bridge.cancelUpdate())}
      />
    </div>
  );
}

type OfferProps = {
  readonly updates: UpdatesState;
  readonly disabled: boolean;
  readonly onInstall: () => void;
  readonly onDownload: () => void;
  readonly onLater: () => void;
};

function Offer({ updates, disabled, onInstall, onDownload, onLater }: OfferProps) {
  const { t, locale } = useMessages();
  const { available, staged, reason, working, progress, featuresStopAfter, current, failure } = updates;
  const isInstallable = reason === null || reason === 'install-failed';
  const isBusy = disabled || staged !== null;
  return (
    <Banner
      tone={offerTone(updates)}
      title={t('updates.available', { version: available ?? '' })}
      actions={
        <>
          {isInstallable && (
            <ActionButton
              variant="primary"
              icon={Download}
              pending={working === 'installing'}
              disabled={isBusy}
              onPress={onInstall}
            >
              {t('updates.install')}
            </ActionButton>
          )}
          {reason === 'no-keys' && (
            <ActionButton icon={Download} onPress={onDownload}>
              {t('updates.download')}
            </ActionButton>
          )}
          <WhatsNewButton />
          <ActionButton variant="quiet" disabled={isBusy} onPress={onLater}>
            {t('updates.later')}
          </ActionButton>
        </>
      }
    >
      <p>{reason === null ? t('updates.availableText') : t(`updates.reason.${reason}`, { version: current })}</p>
      {failure?.fileProblem !== undefined && <p>{t(`fileProblem.${failure.fileProblem}`)}</p>}
      {featuresStopAfter !== null && <p>{t('updates.featuresStop', { date: fullDay(featuresStopAfter, locale) })}</p>}
      {working === 'installing' && progress === null && <p>{t('updates.installing')}</p>}
      {staged !== null && <p>{t('updates.staged', { version: staged })}</p>}
    </Banner>
  );
}

function offerTone({ reason, featuresStopAfter }: UpdatesState): Tone {
  if (reason === 'install-failed' || featuresStopAfter !== null) return 'attention';
  return reason === null ? 'good' : 'unknown';
}

/** Only a refused update gets an alarming tone: even without an answer, nothing is wrong with the app. */
const tones: Readonly<Partial<Record<UpdateReason, Tone>>> = { 'up-to-date': 'good', refused: 'blocked' };

function Reason({ updates, reason }: { readonly updates: UpdatesState; readonly reason: UpdateReason }) {
  const { t } = useMessages();
  return (
    <Banner
      tone={tones[reason] ?? 'unknown'}
      title={t(`updates.reason.${reason}`, { version: updates.current })}
      actions={reason === 'unreachable' ? <DoctorButton /> : null}
    />
  );
}
