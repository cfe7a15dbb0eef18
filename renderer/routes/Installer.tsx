/** The installer screen: compares a file, or this installation's own installer, with the published hashes. */
import { FileDown, FileSearch, ShieldCheck } from 'lucide-react';
import { type DragEvent, type ReactNode, useId, useState } from 'react';
import type { InstallerState } from '../../shared/ipc/app-state.ts';
import { bridge } from '../bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { Banner } from '../components/Banner.tsx';
import { Fact, Facts } from '../components/Facts.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { Page } from '../components/Page.tsx';
import { RelativeTime } from '../components/Times.tsx';
import { showToast } from '../components/toast-store.ts';
import { byteCount } from '../i18n/format.ts';
import { useMessages } from '../i18n/messages.ts';
import { runCommand } from '../run-command.ts';
import { useApp } from '../store.ts';
import { useAction } from '../use-action.ts';

export function Installer() {
  const { t } = useMessages();
  const installer = useApp((app) => app.installer);
  const ownInstallerKnown = useApp((app) => app.app.ownInstallerKnown);
  const action = useAction();
  const isFailureInState = installer.kind === 'failed' || installer.kind === 'not-published';
  const busy = action.pending || installer.kind === 'verifying';
  return (
    <Page title={t('navigation.installer')} intro={t('installer.intro')}>
      {installer.kind === 'verifying' && <VerificationProgress progress={installer} />}
      <div aria-live="polite" className="installer-result">
        <InstallerResult installer={installer} />
      </div>
      {action.failure !== null && !isFailureInState && <FailureAlert failure={action.failure} />}
      <FileDropZone
        disabled={busy}
        onFile={(file) => void action.run(() => bridge.verifyInstaller({ path: bridge.pathForFile(file) }))}
      >
        <ActionButton
          variant={ownInstallerKnown ? 'secondary' : 'primary'}
          icon={FileSearch}
          disabled={busy}
          onPress={() => void action.run(() => bridge.chooseInstaller())}
        >
          {t('installer.choose')}
        </ActionButton>
      </FileDropZone>
      <OwnInstallerPanel disabled={busy} onVerify={() => void action.run(() => bridge.verifyInstallation())} />
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

type FileDropZoneProps = {
  readonly disabled: boolean;
  readonly onFile: (file: File) => void;
  readonly children: ReactNode;
};

/** Accepts one dropped file; `children` is the button for users without a pointer. */
function FileDropZone({ disabled, onFile, children }: FileDropZoneProps) {
  const { t } = useMessages();
  const [over, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [file, ...others] = event.dataTransfer.files;
    if (disabled) return;
    if (file === undefined || others.length > 0) showToast(t('installer.oneFile'), 'blocked');
    else onFile(file);
  };
  return (
    <section
      className={over ? 'drop drop-over' : 'drop'}
      aria-label={t('installer.drop')}
      onDragEnter={() => setOver(!disabled)}
      onDragOver={(event) => event.preventDefault()}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={drop}
    >
      <FileDown className="icon drop-icon" aria-hidden />
      <p className="drop-title">{over ? t('installer.dropNow') : t('installer.drop')}</p>
      <p className="hint">{t('installer.dropHint')}</p>
      {children}
    </section>
  );
}

function VerificationProgress({ progress }: { readonly progress: Extract<InstallerState, { kind: 'verifying' }> }) {
  const { t, locale } = useMessages();
  const labelId = useId();
  const progressText = t('installer.progress', {
    done: byteCount(progress.doneBytes, locale),
    total: byteCount(progress.totalBytes, locale),
    speed: byteCount(progress.bytesPerSecond, locale),
  });
  const total = Math.max(progress.totalBytes, 1);
  return (
    <div className="panel">
      <div
        className="progress"
        role="progressbar"
        aria-labelledby={labelId}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={progress.doneBytes}
        aria-valuetext={progressText}
      >
        <span id={labelId} className="label">
          {t('installer.verifying')}
        </span>{' '}
        <span className="progress-file wrap-anywhere">{progress.fileName}</span>
        <span className="progress-track">
          <span className="progress-bar" style={{ inlineSize: `${(100 * progress.doneBytes) / total}%` }} />
        </span>
      </div>
      <div className="progress-foot">
        <span className="hint tabular">{progressText}</span>
        <ActionButton onPress={() => void runCommand(() => bridge.cancelVerification())}>
          {t('installer.cancel')}
        </ActionButton>
      </div>
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
      const { version } = installer;
      const platform = t(`installer.platform.${installer.platform}`);
      return (
        <Banner tone="good" title={t('installer.genuine')}>
          <p>{t('installer.genuineText', { version, platform })}</p>
          <FileFacts file={installer} />
        </Banner>
      );
    }
    case 'not-genuine':
      return (
        <Banner tone="blocked" title={t('installer.notGenuine')}>
          <p>{t('installer.notGenuineText', { version: installer.version })}</p>
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
