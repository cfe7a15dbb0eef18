/** Offline activation of a device that is never online: its request as a file or QR code, and importing the answer. */
import { FileDown, QrCode as QrCodeIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { QrCode } from '../../shared/ipc/ipc-schema.ts';
import { bridge } from '../bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { WideDialog } from '../components/Dialogs.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { Field } from '../components/Field.tsx';
import { Panel } from '../components/Page.tsx';
import { QrCodePicture } from '../components/QrCodePicture.tsx';
import { showToast } from '../components/toast-store.ts';
import { useMessages } from '../i18n/messages.ts';
import { useApp } from '../store.ts';
import { useAction } from '../use-action.ts';
import { AnswerButtons } from './AnswerButtons.tsx';

type OfflineStepsProps = {
  /** As typed; empty means the key stored on this device. */
  readonly licenseKey: string;
};

/** Hidden if the server is known not to sign leases. */
export function OfflineActivation({ licenseKey }: OfflineStepsProps) {
  const { t } = useMessages();
  const isMissing = useApp((app) => app.server.leases === 'missing');
  if (isMissing) return null;
  return (
    <Panel title={t('offline.title')}>
      <OfflineSteps licenseKey={licenseKey} />
    </Panel>
  );
}

/** Offline activation without signing in, from the sign-in screen. */
export function OfflineActivationDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useMessages();
  const [licenseKey, setLicenseKey] = useState('');
  return (
    <WideDialog title={t('offline.title')} onClose={onClose}>
      <OfflineSteps licenseKey={licenseKey}>
        <Field
          label={t('devices.licenseKey')}
          value={licenseKey}
          onChange={setLicenseKey}
          mono
          autoComplete="off"
          placeholder="SVC-XXXX-XXXX-XXXX-XXXX"
          hint={t('devices.licenseKeyHint')}
        />
      </OfflineSteps>
    </WideDialog>
  );
}

function OfflineSteps({ licenseKey, children }: OfflineStepsProps & { readonly children?: ReactNode }) {
  const { t } = useMessages();
  const action = useAction();
  const [code, setCode] = useState<QrCode | null>(null);
  const save = async () => {
    const saved = await action.run(() => bridge.saveLeaseRequest({ licenseKey }));
    if (saved !== null) showToast(t('offline.saved', { path: saved.value.path }));
  };
  const showCode = async () => {
    const shown = await action.run(() => bridge.showLeaseRequest({ licenseKey }));
    if (shown !== null) setCode(shown.value);
  };
  // Nothing was sent: a request without any key fails with this code.
  const isKeyMissing = action.failure?.code === 'LICENSE_NOT_FOUND';
  return (
    <>
      <p className="panel-intro">{t('offline.intro')}</p>
      {children}
      <div className="button-row">
        <ActionButton icon={FileDown} pending={action.pending} onPress={() => void save()}>
          {t('offline.save')}
        </ActionButton>
        <ActionButton icon={QrCodeIcon} pending={action.pending} onPress={() => void showCode()}>
          {t('offline.showCode')}
        </ActionButton>
      </div>
      {isKeyMissing && (
        <p className="hint hint-error" role="alert">
          {t('offline.keyMissing')}
        </p>
      )}
      {action.failure !== null && !isKeyMissing && <FailureAlert failure={action.failure} />}
      <AnswerButtons />
      <p className="hint">{t('offline.dropHint')}</p>
      {code !== null && (
        <WideDialog title={t('offline.codeTitle')} onClose={() => setCode(null)}>
          <p className="dialog-text">{t('offline.codeText')}</p>
          <QrCodePicture code={code} label={t('offline.codeTitle')} />
        </WideDialog>
      )}
    </>
  );
}
