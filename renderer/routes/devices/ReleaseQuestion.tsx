/** Asks before a device loses its slot. */
import type { Device } from '../../../shared/ipc/app-state.ts';
import { bridge } from '../../bridge.ts';
import { Confirm } from '../../components/Dialogs.tsx';
import { useSentences } from '../../i18n/use-sentences.ts';
import { notify } from '../../store.ts';
import { useAct } from '../../use-act.ts';

type Props = {
  readonly device: Device;
  readonly onReleased: (device: Device) => void;
  readonly onClose: () => void;
};

export function ReleaseQuestion({ device, onReleased, onClose }: Props) {
  const { t } = useSentences();
  const act = useAct();
  const name = device.name || t('devices.unnamed');
  const release = async () => {
    const answer = await act.run(() => bridge.releaseDevice({ activationId: device.activationId }));
    if (answer === null) return;
    notify(t('devices.released', { name }));
    onClose();
    onReleased(device);
  };
  return (
    <Confirm
      title={t('devices.releaseTitle', { name })}
      text={device.isThisDevice ? t('devices.releaseOwnText') : t('devices.releaseText')}
      act={t('devices.release')}
      danger
      pending={act.pending}
      failure={act.failure}
      onConfirm={() => void release()}
      onClose={onClose}
    />
  );
}
