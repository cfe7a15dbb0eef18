/** Imports the answer to a request file, after showing its contents or what is wrong with it. */
import { useState } from 'react';
import { maxLeaseText } from '../../shared/formats/lease-text.ts';
import type { LeaseSummary } from '../../shared/ipc/activation-outcome.ts';
import { bridge } from '../bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { WideDialog } from '../components/Dialogs.tsx';
import { Fact, Facts } from '../components/Facts.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { TextArea } from '../components/TextArea.tsx';
import { showToast } from '../components/toast-store.ts';
import { fullMinute, planName } from '../i18n/format.ts';
import { useMessages } from '../i18n/messages.ts';
import { type LeaseImport, showLeaseImport } from '../open-request.ts';
import { showSignIn, useApp } from '../store.ts';
import { useAction } from '../use-action.ts';
import { useLoaded } from '../use-loaded.ts';
import { AnswerButtons } from './AnswerButtons.tsx';

export function ImportLeaseDialog({ leaseImport }: { readonly leaseImport: LeaseImport }) {
  const { t } = useMessages();
  const [pasted, setPasted] = useState('');
  const text = leaseImport.kind === 'file' ? leaseImport.text : pasted;
  return (
    <WideDialog title={t('offline.importTitle')} onClose={() => showLeaseImport(null)}>
      {leaseImport.kind === 'choose' && (
        <>
          <p className="dialog-text">{t('offline.chooseText')}</p>
          <AnswerButtons />
        </>
      )}
      {leaseImport.kind === 'paste' && (
        <TextArea
          label={t('offline.answer')}
          hint={t('offline.pasteHint')}
          value={pasted}
          onChange={setPasted}
          maxLength={maxLeaseText + 1}
          autoFocus
        />
      )}
      {leaseImport.kind === 'file' && <p className="dialog-text wrap-anywhere">{leaseImport.name}</p>}
      {leaseImport.kind !== 'choose' && (leaseImport.kind === 'file' || text.trim() !== '') && (
        <ReadLease text={text} />
      )}
    </WideDialog>
  );
}

/** Shows what the text contains, with the button that imports it. */
function ReadLease({ text }: { readonly text: string }) {
  const { t, locale } = useMessages();
  const { result, isCurrent } = useLoaded(() => bridge.readLease({ text }), [text]);
  const read = isCurrent ? result : null;
  const action = useAction(text);
  const importLease = async () => {
    const imported = await action.run(() => bridge.importLease({ text }));
    if (imported === null) return;
    showToast(t('offline.imported', { until: fullMinute(imported.value.expiresAt, locale) }));
    showSignIn(false);
    showLeaseImport(null);
  };
  if (read === null) return null;
  const failure = action.failure ?? (read.ok ? null : read.failure);
  return (
    <>
      {read.ok && <LeaseFacts lease={read.value} />}
      {failure !== null && <FailureAlert failure={failure} />}
      <div className="dialog-actions">
        <ActionButton onPress={() => showLeaseImport(null)}>{t('common.cancel')}</ActionButton>
        {read.ok && (
          <ActionButton variant="primary" pending={action.pending} onPress={() => void importLease()}>
            {t('offline.import')}
          </ActionButton>
        )}
      </div>
    </>
  );
}

function LeaseFacts({ lease }: { readonly lease: LeaseSummary }) {
  const { t, locale } = useMessages();
  const name = useApp((app) => app.thisDevice?.name ?? '');
  return (
    <Facts>
      <Fact name={t('offline.device')} more={<span className="mono">{lease.deviceId}</span>}>
        <bdi>{name || t('devices.unnamed')}</bdi>
      </Fact>
      <Fact name={t('account.license')}>
        <span className="mono">{lease.license}</span>
      </Fact>
      <Fact name={t('offline.plan')}>{planName(lease.plan, t)}</Fact>
      <Fact name={t('offline.until')}>{fullMinute(lease.expiresAt, locale)}</Fact>
    </Facts>
  );
}
