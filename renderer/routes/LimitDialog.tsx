/** Offers to replace another device with this one at the device limit, if the server lists devices. */
import { useState } from 'react';
import type { Replacement } from '../../shared/ipc/activation-outcome.ts';
import type { Device } from '../../shared/ipc/app-state.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { Banner } from '../components/Banner.tsx';
import { WideDialog } from '../components/Dialogs.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { showToast } from '../components/toast-store.ts';
import { fullMinute } from '../i18n/format.ts';
import { type Translate, useMessages } from '../i18n/messages.ts';
import { useAction } from '../use-action.ts';
import { DeviceItems } from './DeviceItems.tsx';
import { DeviceRow } from './DeviceRow.tsx';
import { SlowActivation } from './SlowActivation.tsx';
import { activatedMessage, type Limit, type LimitOutcome } from './use-activation.ts';

/**
 * If another device takes the freed activation first, the server reports the limit again, and the user chooses again.
 */
export function LimitDialog({ limit }: { readonly limit: Limit }) {
  const { t, locale } = useMessages();
  const { send, close } = limit;
  const [outcome, setOutcome] = useState(limit.outcome);
  const [repeats, setRepeats] = useState(0);
  const [refused, setRefused] = useState<Device | null>(null);
  const action = useAction();
  const retry = async () => {
    const result = await action.run(() => send({}));
    if (result === null) return;
    if (result.value.kind === 'device-limit-reached') return setOutcome(result.value);
    showToast(activatedMessage(result.value, t));
    close(true);
  };
  const replace = async (device: Device) => {
    const result = await action.run(() => send({ replaces: device.activationId }));
    if (result === null) return;
    if (result.value.kind === 'device-limit-reached') {
      setOutcome(result.value);
      setRefused(device);
      return setRepeats(repeats + 1);
    }
    showToast(t('devices.replaced', { name: device.name || t('devices.unnamed') }));
    close(true);
  };
  const { replacement } = outcome;
  const { devices, lookAlikes } = replacement.kind === 'devices' ? replacement : { devices: [], lookAlikes: [] };
  const failure = action.failure ?? (replacement.kind === 'list-failed' ? replacement.failure : null);
  return (
    <WideDialog title={t('devices.limitTitle')} onClose={() => close(false)}>
      <p className="dialog-text" aria-live="polite">
        {limitText(outcome, t, locale)}
      </p>
      {/* A new key each time, so that the alert is announced again. */}
      {refused !== null && devices.length > 0 && (
        <Banner key={repeats} tone="attention" role="alert" title={refusedText(refused, outcome, t, locale)} />
      )}
      <SlowActivation action={action} />
      {failure !== null && <FailureAlert failure={failure} />}
      {devices.length > 0 && (
        <ReplaceableDevices devices={devices} lookAlikes={lookAlikes} pending={action.pending} onReplace={replace} />
      )}
      {canRetry(replacement) && (
        <div className="dialog-actions">
          <ActionButton variant="primary" pending={action.pending} onPress={() => void retry()}>
            {t('common.retry')}
          </ActionButton>
        </div>
      )}
    </WideDialog>
  );
}

/** Returns whether activating again may find devices to replace, or a free activation. */
function canRetry(replacement: Replacement): boolean {
  return replacement.kind === 'list-failed' || (replacement.kind === 'devices' && replacement.devices.length === 0);
}

function limitText({ replacement, maxActivations, placeFreeAt }: LimitOutcome, t: Translate, locale: string): string {
  switch (replacement.kind) {
    case 'devices':
      if (replacement.devices.length === 0) return t('devices.limitNoDevices');
      if (maxActivations === null || maxActivations === 0) return t('devices.limitTextUnknown');
      return t('devices.limitText', { count: maxActivations });
    case 'list-failed':
      return t('devices.limitListFailed');
    case 'not-listed':
      return t('devices.limitNoList');
    case 'wait':
      return t('devices.limitWait', { date: fullMinute(placeFreeAt ?? '', locale) });
  }
}

/**
 * Explains why the device was not replaced: it keeps its place for a while, or another one took the place meanwhile.
 */
function refusedText(device: Device, { placeFreeAt }: LimitOutcome, t: Translate, locale: string): string {
  if (placeFreeAt === null) return t('devices.limitAgain');
  const name = device.name || t('devices.unnamed');
  return t('devices.replaceNotBefore', { name, date: fullMinute(placeFreeAt, locale) });
}

type ReplaceableDevicesProps = {
  readonly devices: readonly Device[];
  /** Activations of devices that are probably this device. */
  readonly lookAlikes: readonly string[];
  readonly pending: boolean;
  readonly onReplace: (device: Device) => Promise<void>;
};

function ReplaceableDevices({ devices, lookAlikes, pending, onReplace }: ReplaceableDevicesProps) {
  const { t } = useMessages();
  const [replacingId, setReplacingId] = useState<string | null>(null);
  const replace = (device: Device) => {
    setReplacingId(device.activationId);
    void onReplace(device);
  };
  return (
    <DeviceItems devices={devices} framed>
      {(device) => (
        <DeviceRow
          key={device.activationId}
          device={device}
          actionLabel={t('devices.replace')}
          pending={pending && replacingId === device.activationId}
          note={lookAlikes.includes(device.activationId) ? t('devices.looksLikeThis') : undefined}
          onAction={() => replace(device)}
        />
      )}
    </DeviceItems>
  );
}
