/** All slots are in use: the person's own devices, the longest silent first, each with one button that swaps. */
import { useEffect, useState } from 'react';
import type { Device } from '../../../shared/ipc/app-state.ts';
import { ask, bridge } from '../../bridge.ts';
import { ActButton } from '../../components/ActButton.tsx';
import { Sheet } from '../../components/Dialogs.tsx';
import { FailureNotice } from '../../components/FailureNotice.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { useSentences } from '../../i18n/use-sentences.ts';
import { useApp } from '../../store.ts';
import { useAct } from '../../use-act.ts';
import { DeviceItem } from './DeviceItem.tsx';
import { previewOf, replaceableDevices } from './replaceable-devices.ts';
import type { Activation, LimitReached } from './use-activation.ts';

export function LimitDialog({ activation }: { readonly activation: Activation }) {
  if (activation.limit === null) return null;
  return <LimitQuestion activation={activation} {...activation.limit} />;
}

type Props = { readonly activation: Activation; readonly licenseKey: string; readonly reached: LimitReached };

function LimitQuestion({ activation, licenseKey, reached: limit }: Props) {
  const { t } = useSentences();
  const devices = useApp((app) => app.devices);
  const held = useApp((app) => app.thisDevice?.license?.keyPreview ?? null);
  const act = useAct();
  const [replacing, setReplacing] = useState<string | null>(null);
  const load = limit.canReplace && devices.value === null;
  useEffect(() => {
    if (load) void ask(() => bridge.listDevices());
  }, [load]);

  const replace = async (device: Device) => {
    setReplacing(device.activationId);
    const answer = await act.run(() => bridge.activateLicense({ licenseKey, replaces: device.activationId }));
    if (answer?.value.kind === 'activated') activation.replaced(device.name || t('devices.unnamed'));
  };

  return (
    <Sheet title={t('devices.limitTitle')} onClose={activation.closeLimit}>
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
          {replaceableDevices(devices.value, licenseKey === '' ? held : previewOf(licenseKey)).map((device) => (
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

function limitWords(limit: LimitReached, t: ReturnType<typeof useSentences>['t']): string {
  if (!limit.canReplace) return t('devices.limitNoList');
  if (limit.maxActivations === null || limit.maxActivations === 0) return t('devices.limitTextUnknown');
  return t('devices.limitText', { count: limit.maxActivations });
}
