/** Scans a pasted text, a file or a folder for leaked keys, and revokes API keys that were found. */
import { FileSearch, FolderSearch } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import type { KeyScanProgress, KeyScanReport, KeyScanState } from '../../shared/ipc/key-scan.ts';
import { maxScannedText } from '../../shared/ipc/key-scan.ts';
import { bridge } from '../bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { Banner } from '../components/Banner.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { FileDropZone } from '../components/FileDropZone.tsx';
import { Panel } from '../components/Page.tsx';
import { TextArea } from '../components/TextArea.tsx';
import { byteCount } from '../i18n/format.ts';
import { useMessages } from '../i18n/messages.ts';
import { runCommand } from '../run-command.ts';
import { useApp } from '../store.ts';
import { type Action, useAction } from '../use-action.ts';
import { LeakedKeyList } from './LeakedKeyList.tsx';

export function LeakedKeys() {
  const { t } = useMessages();
  const scan = useApp((app) => app.keyScan);
  // A failure is over once another scan has begun.
  const action = useAction(scan.kind);
  const busy = action.pending || scan.kind === 'scanning';
  const scanDropped = (files: readonly File[]) =>
    void action.run(() => bridge.scanForKeys({ paths: files.map((file) => bridge.pathForFile(file)) }));
  return (
    <Panel title={t('leakedKeys.title')}>
      <FileDropZone className="scan" label={t('leakedKeys.drop')} disabled={busy} onFiles={scanDropped}>
        {() => (
          <>
            <p className="panel-intro">{t('leakedKeys.intro')}</p>
            <CheckText action={action} busy={busy} />
            <div className="scan-actions">
              <ActionButton
                icon={FolderSearch}
                disabled={busy}
                onPress={() => void action.run(() => bridge.chooseForKeyScan({ choose: 'folder' }))}
              >
                {t('leakedKeys.chooseFolder')}
              </ActionButton>
              <ActionButton
                icon={FileSearch}
                disabled={busy}
                onPress={() => void action.run(() => bridge.chooseForKeyScan({ choose: 'file' }))}
              >
                {t('installer.choose')}
              </ActionButton>
            </div>
          </>
        )}
      </FileDropZone>
      {action.failure !== null && scan.kind !== 'failed' && <FailureAlert failure={action.failure} />}
      {scan.kind === 'scanning' && <ScanProgress progress={scan} />}
      <div aria-live="polite">
        <ScanResult scan={scan} />
      </div>
    </Panel>
  );
}

/** Clears the pasted text after the check, because it may contain a key. */
function CheckText({ action, busy }: { readonly action: Action; readonly busy: boolean }) {
  const { t } = useMessages();
  const [text, setText] = useState('');
  const check = async (event: FormEvent) => {
    event.preventDefault();
    if ((await action.run(() => bridge.scanForKeys({ text }))) !== null) setText('');
  };
  return (
    <form className="scan-text" onSubmit={check} noValidate>
      <TextArea
        label={t('leakedKeys.text')}
        value={text}
        onChange={setText}
        maxLength={maxScannedText}
        hint={t('leakedKeys.textHint')}
      />
      <ActionButton type="submit" disabled={busy || text.trim() === ''}>
        {t('leakedKeys.checkText')}
      </ActionButton>
    </form>
  );
}

/** An indeterminate progress bar, because the amount to read is unknown until the end. */
function ScanProgress({ progress }: { readonly progress: KeyScanProgress }) {
  const { t, locale } = useMessages();
  return (
    <div className="scan-progress">
      <div className="progress" role="progressbar" aria-label={t('leakedKeys.scanning')}>
        <span className="label">{t('leakedKeys.scanning')}</span>{' '}
        <span className="progress-file wrap-anywhere">{progress.file}</span>
        <span className="progress-track">
          <span className="progress-bar progress-bar-unknown" />
        </span>
      </div>
      <div className="progress-foot">
        <span className="hint tabular">
          {t('leakedKeys.progress', {
            count: progress.files,
            bytes: byteCount(progress.bytes, locale),
            found: progress.found,
          })}
        </span>
        <ActionButton onPress={() => void runCommand(() => bridge.cancelKeyScan())}>{t('common.cancel')}</ActionButton>
      </div>
    </div>
  );
}

function ScanResult({ scan }: { readonly scan: KeyScanState }) {
  const { t } = useMessages();
  switch (scan.kind) {
    case 'idle':
    case 'scanning':
      return null;
    case 'failed':
      return <FailureAlert failure={scan.failure} />;
    case 'done':
      return (
        <div className="scan-result">
          <Banner
            tone={scan.keys.length > 0 ? 'attention' : 'good'}
            title={
              scan.keys.length > 0 ? t('leakedKeys.found', { count: scan.keys.length }) : t('leakedKeys.noneFound')
            }
          >
            <ScanNotes report={scan} />
          </Banner>
          {scan.keys.length > 0 && <LeakedKeyList keys={scan.keys} />}
        </div>
      );
  }
}

/** What was read, and what was not. */
function ScanNotes({ report: { files, skipped, unreadable, limit } }: { readonly report: KeyScanReport }) {
  const { t } = useMessages();
  const notes = [
    files > 0 ? t('leakedKeys.filesRead', { count: files }) : null,
    skipped > 0 ? t('leakedKeys.skipped', { count: skipped }) : null,
    unreadable > 0 ? t('leakedKeys.unreadable', { count: unreadable }) : null,
    limit === null ? null : t(`leakedKeys.limit.${limit}`),
  ].filter((note) => note !== null);
  return notes.length === 0 ? null : <p>{notes.join(' ')}</p>;
}
