/** Confirms releasing a device from its license, or freeing the place of a released one. */
import type { Activation, ReleasedDevice } from '../../../shared/api/license.ts';
import { ConfirmDialog } from '../../components/Dialogs.tsx';
import { fullMinute } from '../../i18n/format.ts';
import { useDialogChange } from '../forms/use-dialog-change.ts';
import { useMessages } from '../i18n/messages.ts';

type ReleaseDialogProps = {
  readonly licenseId: string;
  readonly device: Pick<Activation, 'device_id' | 'device_name' | 'key_preview'>;
  /** Email of the license's owner, if known. */
  readonly owner: string | null;
  readonly onReleased?: () => void;
  readonly onClose: () => void;
};

export function ReleaseDialog({ licenseId, device, owner, onReleased, onClose }: ReleaseDialogProps) {
  const { t } = useMessages();
  const name = device.device_name || t('devices.unnamed');
  const { dialog } = useDialogChange('releaseLicenseDevice', {
    request: () => ({ params: { id: licenseId, device_id: device.device_id } }),
    success: t('devices.released', { name }),
    onSuccess: () => {
      onClose();
      onReleased?.();
    },
    onClose,
  });
  const values = { name, license: device.key_preview, owner: owner ?? '' };
  return (
    <ConfirmDialog
      {...dialog}
      title={t('devices.releaseTitle', { name })}
      text={owner === null ? t('devices.releaseText', values) : t('devices.releaseTextOf', values)}
      confirmLabel={t('devices.release')}
      danger
    />
  );
}

type FreePlaceDialogProps = {
  readonly licenseId: string;
  readonly device: ReleasedDevice;
  readonly onClose: () => void;
};

/** For a released device that keeps its place because it may work offline. */
export function FreePlaceDialog({ licenseId, device, onClose }: FreePlaceDialogProps) {
  const { t, locale } = useMessages();
  const name = device.device_name || t('devices.unnamed');
  const { dialog } = useDialogChange('releaseLicenseDevice', {
    request: () => ({ params: { id: licenseId, device_id: device.device_id } }),
    success: t('devices.placeFreed', { name }),
    onSuccess: onClose,
    onClose,
  });
  return (
    <ConfirmDialog
      {...dialog}
      title={t('devices.freePlaceTitle', { name })}
      text={t('devices.freePlaceText', { date: fullMinute(device.place_free_at, locale) })}
      confirmLabel={t('devices.freePlace')}
      danger
    />
  );
}
