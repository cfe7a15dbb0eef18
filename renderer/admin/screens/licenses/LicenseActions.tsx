/** What staff can do with a license: suspend, reinstate and revoke it. */
import { Ban, PauseCircle, PlayCircle } from 'lucide-react';
import { useState } from 'react';
import type { LicenseRecord } from '../../../../shared/api/admin/licenses.ts';
import { ActionButton } from '../../../components/ActionButton.tsx';
import { ConfirmDialog } from '../../../components/Dialogs.tsx';
import { useChange } from '../../api/use-change.ts';
import { TypedConfirmDialog } from '../../forms/TypedConfirmDialog.tsx';
import { useMessages } from '../../i18n/messages.ts';
import { RecordActions } from '../../records/RecordSection.tsx';
import { useMay } from '../../session/session-store.ts';
import { ownerText } from './owner-text.ts';

type LicenseProps = { readonly license: LicenseRecord };
type DialogProps = LicenseProps & { readonly onClose: () => void };

export function LicenseActions({ license }: LicenseProps) {
  const { t } = useMessages();
  const maySuspend = useMay('suspendLicense');
  const mayRevoke = useMay('revokeLicense');
  const [dialog, setDialog] = useState<'suspend' | 'reinstate' | 'revoke' | null>(null);
  const close = () => setDialog(null);
  const { status } = license;
  // A license whose own date has passed is extended instead.
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
      {mayRevoke && status !== 'revoked' && (
        <ActionButton icon={Ban} onPress={() => setDialog('revoke')}>
          {t('licenses.revoke')}
        </ActionButton>
      )}
      {dialog === 'suspend' && <SuspendDialog license={license} onClose={close} />}
      {dialog === 'reinstate' && <ReinstateDialog license={license} onClose={close} />}
      {dialog === 'revoke' && <RevokeDialog license={license} onClose={close} />}
    </RecordActions>
  );
}

function SuspendDialog({ license, onClose }: DialogProps) {
  const { t } = useMessages();
  const change = useChange();
  const values = { license: license.key_preview };
  const suspend = async () => {
    const options = { params: { id: license.id } };
    if ((await change.run('suspendLicense', options, t('licenses.suspended', values))) !== null) onClose();
  };
  return (
    <ConfirmDialog
      title={t('licenses.suspendTitle', values)}
      text={`${ownerText(license, t)} ${t('licenses.suspendText', { count: license.activations })}`}
      confirmLabel={t('licenses.suspend')}
      danger
      pending={change.pending}
      failure={change.failure}
      onConfirm={() => void suspend()}
      onClose={onClose}
    />
  );
}

function ReinstateDialog({ license, onClose }: DialogProps) {
  const { t } = useMessages();
  const change = useChange();
  const values = { license: license.key_preview };
  const reinstate = async () => {
    const options = { params: { id: license.id } };
    if ((await change.run('reinstateLicense', options, t('licenses.reinstated', values))) !== null) onClose();
  };
  return (
    <ConfirmDialog
      title={t('licenses.reinstateTitle', values)}
      text={`${ownerText(license, t)} ${t('licenses.reinstateText', { count: license.activations })}`}
      confirmLabel={t('licenses.reinstate')}
      pending={change.pending}
      failure={change.failure}
      onConfirm={() => void reinstate()}
      onClose={onClose}
    />
  );
}

function RevokeDialog({ license, onClose }: DialogProps) {
  const { t } = useMessages();
  const change = useChange();
  const values = { license: license.key_preview };
  const revoke = async () => {
    const options = { params: { id: license.id } };
    if ((await change.run('revokeLicense', options, t('licenses.revoked', values))) !== null) onClose();
  };
  return (
    <TypedConfirmDialog
      title={t('licenses.revokeTitle', values)}
      text={
        <>
          <p>
            {ownerText(license, t)} {t('licenses.revokeText')}
          </p>
          <p>{t('form.devicesLose', { count: license.activations })}</p>
        </>
      }
      name={nameOf(license)}
      confirmLabel={t('licenses.revoke')}
      pending={change.pending}
      failure={change.failure}
      onConfirm={() => void revoke()}
      onClose={onClose}
    />
  );
}

/**
 * The beginning of the key preview, `SVC-AB12`: what is left out of a preview cannot be typed. The preview of a very short
 * imported key shows nothing of it; then the end of the id, because imported ones may begin alike.
 */
function nameOf({ id, key_preview }: LicenseRecord): string {
  return key_preview.split('...')[0] || id.slice(-8);
}
