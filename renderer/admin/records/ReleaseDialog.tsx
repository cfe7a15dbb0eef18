/** Asks before a device is released from its license. */
import type { Activation } from '../../../shared/api/license.ts';
import { ConfirmDialog } from '../../components/Dialogs.tsx';
import { useChange } from '../api/use-change.ts';
import { useMessages } from '../i18n/messages.ts';

type ReleaseDialogProps = {
  readonly licenseId: string;
  readonly device: Pick<Activation, 'device_id' | 'device_name' | 'key_preview'>;
  /** The email of the license's owner, where it is known. */
  readonly owner: string | null;
  readonly onReleased?: () => void;
  readonly onClose: () => void;
};

export function ReleaseDialog({ licenseId, device, owner, onReleased, onClose }: ReleaseDialogProps) {
  const { t } = useMessages();
  const change = useChange();
  const name = device.device_name || t('devices.unnamed');
  const release = async () => {
    const options = { params: { id: licenseId, device_id: device.device_id } };
    if ((await change.run('releaseLicenseDevice', options, t('devices.released', { name }))) === null) return;
    onClose();
    onReleased?.();
  };
  const values = { name, license: device.key_preview, owner: owner ?? '' };
  return (
    <ConfirmDialog
      title={t('devices.releaseTitle', { name })}
      text={owner === null ? t('devices.releaseText', values) : t('devices.releaseTextOf', values)}
      confirmLabel={t('devices.release')}
      danger
      pending={change.pending}
      failure={change.failure}
      onConfirm={() => void release()}
      onClose={onClose}
    />
  );
}
