/** The installer screen: compares a file, or this installation's own installer, with the published hashes. */
import { FileDown, FileSearch, ShieldCheck } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import type { InstallerState } from '../../shared/ipc/app-state.ts';
import { bridge } from '../bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { Banner } from '../components/Banner.tsx';
import { Fact, Facts } from '../components/Facts.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { FileDropZone } from '../components/FileDropZone.tsx';
import { FileProgress } from '../components/FileProgress.tsx';
import { Page } from '../components/Page.tsx';
import { RelativeTime } from '../components/Times.tsx';
import { showToast } from '../components/toast-store.ts';
import { useMessages } from '../i18n/messages.ts';
import { runCommand } from '../run-command.ts';
import { useApp } from '../store.ts';
import { useAction } from '../use-action.ts';
import { UpdatesPanel } from './UpdatesPanel.tsx';

export function Installer() {
  const { t } = useMessages();
  const installer = useApp((app) => app.installer);
  const ownInstallerKnown = useApp((app) => app.app.ownInstallerKnown);
  // A failure is over once another verification has begun.
  const action = useAction(installer.kind);
  const isFailureInState = installer.kind === 'failed' || installer.kind === 'not-published';
  const busy = action.pending || installer.kind === 'verifying';
  const verifyDropped = ([file, ...others]: readonly File[]) => {
    if (file === undefined || others.length > 0) showToast(t('installer.oneFile'), 'blocked');
    else void action.run(() => bridge.verifyInstaller({ path: bridge.pathForFile(file) }));
  };
  return (
    <Page title={t('navigation.installer')} intro={t('installer.intro')}>
      {installer.kind === 'verifying' && <VerificationProgress progress={installer} />}
      <div aria-live="polite" className="installer-result">
        <InstallerResult installer={installer} />
      </div>
      {action.failure !== null && !isFailureInState && <FailureAlert failure={action.failure} />}
      <FileDropZone label={t('installer.drop')} disabled={busy} onFiles={verifyDropped}>
        {(isOver) => (
          <>
            <FileDown className="icon drop-icon" aria-hidden />
            <p className="drop-title">{isOver ? t('installer.dropNow') : t('installer.drop')}</p>
            <p className="hint">{t('installer.dropHint')}</p>
            <ActionButton
              variant={ownInstallerKnown ? 'secondary' : 'primary'}
              icon={FileSearch}
              disabled={busy}
              onPress={() => void action.run(() => bridge.chooseInstaller())}
            >
              {t('installer.choose')}
            </ActionButton>
          </>
        )}
      </FileDropZone>
      <OwnInstallerPanel disabled={busy} onVerify={() => void action.run(() => bridge.verifyInstallation())} />
      <UpdatesPanel />
    </Page>
  );
}

type OwnInstallerPanelProps = { readonly disabled: boolean; readonly onVerify: () => void };

function OwnInstallerPanel({ disabled, onVerify }: OwnInstallerPanelProps) {
  const { t } = useMessages();
  const ownInstallerKnown = useApp((app) => app.app.ownInstallerKnown);
  const hintId = useId();
  return (
    <div className="panel own-installer">
      <div>
        <h2>{t('installer.ownTitle')}</h2>
        <p id={hintId} className="hint">
          {ownInstallerKnown ? t('installer.ownHint') : t('installer.ownUnknown')}
        </p>
      </div>
      <ActionButton
        variant={ownInstallerKnown ? 'primary' : 'secondary'}
        icon={ShieldCheck}
        disabled={disabled || !ownInstallerKnown}
        describedBy={hintId}
        onPress={onVerify}
      >
        {t('installer.verifyOwn')}
      </ActionButton>
    </div>
  );
}

function VerificationProgress({ progress }: { readonly progress: Extract<InstallerState, { kind: 'verifying' }> }) {
  const { t } = useMessages();
  return (
    <div className="panel">
      <FileProgress
        {...progress}
        label={t('installer.verifying')}
        onCancel={() => void runCommand(() => bridge.cancelVerification())}
      />
    </div>
  );
}

function InstallerResult({ installer }: { readonly installer: InstallerState }): ReactNode {
  const { t } = useMessages();
  switch (installer.kind) {
    case 'idle':
    case 'verifying':
      return null;
    case 'genuine': {
      const { version, newerVersion } = installer;
      const platform = t(`installerPlatform.${installer.platform}`);
      return (
        <Banner tone="good" title={t('installer.genuine')}>
          <p>
            {t(newerVersion === null ? 'installer.genuineText' : 'installer.genuineEarlier', { version, platform })}
          </p>
          {newerVersion !== null && <p>{t('installer.newerVersion', { version: newerVersion })}</p>}
          <FileFacts file={installer} />
        </Banner>
      );
    }
    case 'not-genuine':
      return (
        <Banner tone="blocked" title={t('installer.notGenuine')}>
          <p>
            {t(installer.earlierKnown ? 'installer.notGenuineText' : 'installer.notThisVersion', {
              version: installer.version,
            })}
          </p>
          <FileFacts file={installer} />
        </Banner>
      );
    case 'not-published':
      return (
        <Banner tone="unknown" title={t('installer.notPublished')}>
          {t('installer.notPublishedText')}
        </Banner>
      );
    case 'failed':
      return <FailureAlert failure={installer.failure} />;
  }
}

type FileFactsProps = { readonly file: Extract<InstallerState, { kind: 'genuine' | 'not-genuine' }> };

function FileFacts({ file }: FileFactsProps) {
  const { t } = useMessages();
  return (
    <Facts>
      <Fact name={t('installer.file')}>
        <span className="wrap-anywhere">{file.fileName}</span>
      </Fact>
      <Fact name={t('installer.hash')}>
        <span className="mono wrap-anywhere">{file.hash.replace(/^sha256:/, '')}</span>
      </Fact>
      <Fact name={t('installer.checkedAt')}>
        <RelativeTime at={file.checkedAt} />
      </Fact>
    </Facts>
  );
}
