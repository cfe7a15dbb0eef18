/** Staff actions for a license: suspend, reinstate, revoke, and replace its key. */
import { Ban, KeyRound, PauseCircle, PlayCircle } from 'lucide-react';
import { useState } from 'react';
import type { LicenseRecord } from '../../../../shared/api/admin/licenses.ts';
import type { AdminResponseOf } from '../../../../shared/api/admin-endpoints.ts';
import { ActionButton } from '../../../components/ActionButton.tsx';
import { ConfirmDialog } from '../../../components/Dialogs.tsx';
import { usePreview } from '../../api/use-preview.ts';
import { TypedConfirmDialog } from '../../forms/TypedConfirmDialog.tsx';
import { useDialogChange } from '../../forms/use-dialog-change.ts';
import { useMessages } from '../../i18n/messages.ts';
import { PreviewText } from '../../records/PreviewText.tsx';
import { RecordActions } from '../../records/RecordSection.tsx';
import { useMay } from '../../session/session-store.ts';
import { NewKeyDialog } from './NewKeyDialog.tsx';
import { ownerText } from './owner-text.ts';

type LicenseProps = { readonly license: LicenseRecord };
type DialogProps = LicenseProps & { readonly onClose: () => void };

export function LicenseActions({ license }: LicenseProps) {
  const { t } = useMessages();
  const maySuspend = useMay('suspendLicense');
  const mayRevoke = useMay('revokeLicense');
  const mayReplaceKey = useMay('replaceLicenseKeyOf');
  const [dialog, setDialog] = useState<'suspend' | 'reinstate' | 'revoke' | 'replaceKey' | null>(null);
  const close = () => setDialog(null);
  const { status } = license;
  // An expired license is extended instead.
  const canReinstate = status === 'inactive' || (status === 'revoked' && mayRevoke);
  return (
    <RecordActions>
      {maySuspend && status === 'active' && (
        <ActionButton icon={PauseCircle} onPress={() => setDialog('suspend')}>
          {t('licenses.suspend')}
        </ActionButton>
      )}
      {maySuspend && canReinstate && (
        <ActionButton icon={PlayCircle} onPress={() => setDialog('reinstate')}>
          {t('licenses.reinstate')}
        </ActionButton>
      )}
      {mayReplaceKey && status !== 'revoked' && (
        <ActionButton icon={KeyRound} onPress={() => setDialog('replaceKey')}>
          {t('licenses.replaceKey')}
        </ActionButton>
      )}
      {mayRevoke && status !== 'revoked' && (
        <ActionButton icon={Ban} onPress={() => setDialog('revoke')}>
          {t('licenses.revoke')}
        </ActionButton>
      )}
      {dialog === 'replaceKey' && <ReplaceKeyDialog license={license} onClose={close} />}
      {dialog === 'suspend' && <SuspendDialog license={license} onClose={close} />}
      {dialog === 'reinstate' && <ReinstateDialog license={license} onClose={close} />}
      {dialog === 'revoke' && <RevokeDialog license={license} onClose={close} />}
    </RecordActions>
  );
}

/** Replaces the key, then shows the new one once. */
function ReplaceKeyDialog({ license, onClose }: DialogProps) {
  const { t } = useMessages();
  const [replaced, setReplaced] = useState<AdminResponseOf<'replaceLicenseKeyOf'> | null>(null);
  const { dialog } = useDialogChange('replaceLicenseKeyOf', {
    request: () => ({ params: { id: license.id }, body: {} }),
    onSuccess: setReplaced,
    onClose,
  });
  if (replaced !== null) return <NewKeyDialog issued={replaced} onSaved={onClose} />;
  return (
    <ConfirmDialog
      {...dialog}
      title={t('licenses.replaceKeyTitle', { license: license.key_preview })}
      text={`${ownerText(license, t)} ${t('licenses.replaceKeyText', { count: license.devices.length })}`}
      confirmLabel={t('licenses.replaceKeyConfirm')}
      danger
    />
  );
}

function SuspendDialog({ license, onClose }: DialogProps) {
  const { t } = useMessages();
  const values = { license: license.key_preview };
  const preview = usePreview('suspendLicense', { params: { id: license.id } });
  const { dialog } = useDialogChange('suspendLicense', {
    request: () => ({ params: { id: license.id } }),
    success: t('licenses.suspended', values),
    onClose,
  });
  return (
    <ConfirmDialog
      {...dialog}
      title={t('licenses.suspendTitle', values)}
      text={
        <>
          <p>{`${ownerText(license, t)} ${t('licenses.suspendText', { count: license.activations })}`}</p>
          <PreviewText preview={preview} />
        </>
      }
      confirmLabel={t('licenses.suspend')}
      danger
    />
  );
}

function ReinstateDialog({ license, onClose }: DialogProps) {
  const { t } = useMessages();
  const values = { license: license.key_preview };
  const preview = usePreview('reinstateLicense', { params: { id: license.id } });
  const { dialog } = useDialogChange('reinstateLicense', {
    request: () => ({ params: { id: license.id } }),
    success: t('licenses.reinstated', values),
    onClose,
  });
  return (
    <ConfirmDialog
      {...dialog}
      title={t('licenses.reinstateTitle', values)}
      text={
        <>
          <p>{`${ownerText(license, t)} ${t('licenses.reinstateText', { count: license.activations })}`}</p>
          <PreviewText preview={preview} />
        </>
      }
      confirmLabel={t('licenses.reinstate')}
    />
  );
}

function RevokeDialog({ license, onClose }: DialogProps) {
  const { t } = useMessages();
  const values = { license: license.key_preview };
  // Suspending has the same effect, and its preview does not require the password before the user has decided.
  const preview = usePreview('suspendLicense', { params: { id: license.id } });
  const { dialog } = useDialogChange('revokeLicense', {
    request: () => ({ params: { id: license.id } }),
    success: t('licenses.revoked', values),
    onClose,
  });
  return (
    <TypedConfirmDialog
      {...dialog}
      title={t('licenses.revokeTitle', values)}
      text={
        <>
          <p>
            {ownerText(license, t)} {t('licenses.revokeText')}
          </p>
          <p>{t('form.devicesLose', { count: license.devices.length })}</p>
          {license.status === 'active' && <PreviewText preview={preview} />}
        </>
      }
      name={nameOf(license)}
      confirmLabel={t('licenses.revoke')}
    />
  );
}

/**
 * Returns the start of the key preview, `SVC-AB12`, because a preview's omitted part cannot be typed. The preview of a
 * very short imported key shows none of it; the end of the id is used then, because imported ids may start alike.
 */
function nameOf({ id, key_preview }: LicenseRecord): string {
  return key_preview.split('...')[0] || id.slice(-8);
}
