/** All slots are in use: the person's own devices, the longest silent first, each with one button that swaps. */
import { useEffect, useState } from 'react';
import type { Device } from '../../../shared/ipc/app-state.ts';
import type { ActivationOutcome } from '../../../shared/ipc/ipc-schema.ts';
import { ask, bridge } from '../../bridge.ts';
import { ActButton } from '../../components/ActButton.tsx';
import { Sheet } from '../../components/Dialogs.tsx';
import { FailureNotice } from '../../components/FailureNotice.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { useApp } from '../../store.ts';
import { useSentences } from '../../text/use-sentences.ts';
import { useAct } from '../../use-act.ts';
import { DeviceItem } from './DeviceItem.tsx';
import { replaceableDevices } from './replaceable-devices.ts';

type Props = {
  readonly licenseKey: string;
  readonly limit: Extract<ActivationOutcome, { kind: 'device-limit-reached' }>;
  readonly onClose: () => void;
  readonly onReplaced: (name: string) => void;
};

export function LimitDialog({ licenseKey, limit, onClose, onReplaced }: Props) {
  const { t } = useSentences();
  const devices = useApp((app) => app.devices);
  const act = useAct();
  const [replacing, setReplacing] = useState<string | null>(null);
  const load = limit.canReplace && devices.value === null;
  useEffect(() => {
    if (load) void ask(() => bridge.listDevices());
  }, [load]);

  const replace = async (device: Device) => {
    setReplacing(device.activationId);
    const answer = await act.run(() => bridge.activateLicense({ licenseKey, replaces: device.activationId }));
    if (answer?.value.kind === 'activated') onReplaced(device.name || t('devices.nameless'));
  };

  return (
    <Sheet title={t('devices.limitTitle')} onClose={onClose}>
      <p className="dialog-text">{limitWords(limit, t)}</p>
      {act.failure !== null && <FailureNotice failure={act.failure} />}
      {limit.canReplace && devices.value === null && devices.failure !== null && (
        <FailureNotice
          failure={devices.failure}
          acts={<ActButton onPress={() => void ask(() => bridge.listDevices())}>{t('common.retry')}</ActButton>}
        />
      )}
      {limit.canReplace && devices.value === null && devices.failure === null && <Skeleton lines={4} />}
      {limit.canReplace && devices.value !== null && (
        <ul className="devices devices-framed" aria-label={t('devices.list')}>
          {replaceableDevices(devices.value, licenseKey).map((device) => (
            <DeviceItem
              key={device.activationId}
              device={device}
              act={t('devices.replace')}
              pending={act.pending && replacing === device.activationId}
              onAct={() => void replace(device)}
            />
          ))}
        </ul>
      )}
    </Sheet>
  );
}

function limitWords(limit: Props['limit'], t: ReturnType<typeof useSentences>['t']): string {
  if (!limit.canReplace) return t('devices.limitNoList');
  if (limit.maxActivations === null) return t('devices.limitTextUnknown');
  return t('devices.limitText', { count: limit.maxActivations });
}
