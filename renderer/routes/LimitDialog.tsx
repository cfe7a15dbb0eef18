/** Activation of this device, and the dialog that offers to replace another one at the device limit. */
import { useEffect, useState } from 'react';
import type { Device } from '../../shared/ipc/app-state.ts';
import type { ActivationOutcome, NewDevices } from '../../shared/ipc/ipc-schema.ts';
import type { Failure } from '../../shared/ipc/result.ts';
import { bridge, runCommand } from '../bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { Banner } from '../components/Banner.tsx';
import { WideDialog } from '../components/Dialogs.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { Skeleton } from '../components/Placeholders.tsx';
import { activationCount } from '../i18n/account-messages.ts';
import { fullDay } from '../i18n/format.ts';
import { type Translate, useMessages } from '../i18n/messages.ts';
import { showToast, useApp } from '../store.ts';
import { type Action, useAction } from '../use-action.ts';
import { DeviceRow } from './DeviceRow.tsx';
import { keyPreviewOf, replaceableDevices } from './device-order.ts';

type LimitOutcome = Extract<ActivationOutcome, { kind: 'device-limit-reached' }>;

type Activation = {
  readonly action: Action;
  /** Set while the dialog is open. An empty key means the one that this device still has. */
  readonly limit: { readonly licenseKey: string; readonly outcome: LimitOutcome } | null;
  readonly activate: (licenseKey: string) => Promise<void>;
  readonly finishReplacing: (replacedName: string, newDevices: NewDevices | undefined) => void;
  /** Shows another limit in the open dialog. */
  readonly replaceLimit: (outcome: LimitOutcome) => void;
  readonly closeLimit: () => void;
};

type ActivationOptions = { readonly onActivated?: () => void; readonly onFailure?: (failure: Failure) => void };

/** Ends in a toast, in a failure, or (at the device limit) in the dialog; render `LimitDialog` with the result. */
export function useActivation({ onActivated, onFailure }: ActivationOptions): Activation {
  const { t, locale } = useMessages();
  const action = useAction();
  const [limit, setLimit] = useState<Activation['limit']>(null);
  const finish = (message: string, newDevices: NewDevices | undefined) => {
    setLimit(null);
    showToast(newDevices === undefined ? message : `${message} ${newDevicesText(newDevices, t, locale)}`);
    onActivated?.();
  };
  const activate = async (licenseKey: string) => {
    const result = await action.run(async () => {
      const activated = await bridge.activateLicense({ licenseKey });
      if (!activated.ok) onFailure?.(activated.failure);
      return activated;
    });
    if (result === null) return;
    const outcome = result.value;
    if (outcome.kind === 'device-limit-reached') return setLimit({ licenseKey, outcome });
    const count = activationCount(outcome);
    finish(count === null ? t('devices.activatedTitle') : t('devices.activatedToast', count), outcome.newDevices);
  };
  return {
    action,
    limit,
    activate,
    finishReplacing: (name, newDevices) => finish(t('devices.replaced', { name }), newDevices),
    replaceLimit: (outcome) => setLimit((shown) => shown && { ...shown, outcome }),
    closeLimit: () => setLimit(null),
  };
}

/** Open while `activation.limit` is set. */
export function LimitDialog({ activation }: { readonly activation: Activation }) {
  const { t, locale } = useMessages();
  const { limit, closeLimit } = activation;
  if (limit === null) return null;
  return (
    <WideDialog title={t('devices.limitTitle')} onClose={closeLimit}>
      <p className="dialog-text">{limitText(limit.outcome, t, locale)}</p>
      {limit.outcome.canReplace && (
        <ReplaceableDevices
          licenseKey={limit.licenseKey}
          onReplaced={activation.finishReplacing}
          onNewDeviceLimit={activation.replaceLimit}
        />
      )}
    </WideDialog>
  );
}

function limitText({ canReplace, maxActivations, newDevices }: LimitOutcome, t: Translate, locale: string): string {
  if (newDevices) return t('devices.newDeviceLimitText', { date: newDevicesDay(newDevices, locale) });
  if (!canReplace) return t('devices.limitNoList');
  if (maxActivations === null || maxActivations === 0) return t('devices.limitTextUnknown');
  return t('devices.limitText', { count: maxActivations });
}

function newDevicesText(newDevices: NewDevices, t: Translate, locale: string): string {
  const date = newDevicesDay(newDevices, locale);
  const { remaining } = newDevices;
  return remaining === 0 ? t('devices.newDevicesNone', { date }) : t('devices.newDevices', { count: remaining, date });
}

/** The day is one of UTC. */
function newDevicesDay({ until }: NewDevices, locale: string): string {
  return fullDay(until, locale, 'UTC');
}

type ReplaceableDevicesProps = {
  readonly licenseKey: string;
  readonly onReplaced: (name: string, newDevices: NewDevices | undefined) => void;
  readonly onNewDeviceLimit: (outcome: LimitOutcome) => void;
};

/**
 * If another device takes the freed activation first, the server reports the limit again: main has then reloaded
 * the devices, and the user chooses again.
 */
function ReplaceableDevices({ licenseKey, onReplaced, onNewDeviceLimit }: ReplaceableDevicesProps) {
  const { t } = useMessages();
  const devices = useApp((app) => app.devices);
  const ownPreview = useApp((app) => app.thisDevice?.license?.keyPreview ?? null);
  const action = useAction();
  const [replacingId, setReplacingId] = useState<string | null>(null);
  const [lostRaces, setLostRaces] = useState(0);
  const isMissing = devices.value === null;
  useEffect(() => {
    if (isMissing) loadDevices();
  }, [isMissing]);

  const replace = async (device: Device) => {
    setReplacingId(device.activationId);
    const result = await action.run(() => bridge.activateLicense({ licenseKey, replaces: device.activationId }));
    if (result === null) return;
    const outcome = result.value;
    if (outcome.kind === 'activated') return onReplaced(device.name || t('devices.unnamed'), outcome.newDevices);
    if (outcome.newDevices) return onNewDeviceLimit(outcome);
    setLostRaces((count) => count + 1);
  };
  const preview = licenseKey === '' ? ownPreview : keyPreviewOf(licenseKey);
  return (
    <>
      {/* A new key for each lost race, so that the alert is announced again. */}
      {lostRaces > 0 && <Banner key={lostRaces} tone="attention" role="alert" title={t('devices.limitAgain')} />}
      {action.failure !== null && <FailureAlert failure={action.failure} />}
      {devices.failure !== null && (
        <FailureAlert
          failure={devices.failure}
          actions={<ActionButton onPress={loadDevices}>{t('common.retry')}</ActionButton>}
        />
      )}
      {devices.value === null && devices.failure === null && <Skeleton lines={4} />}
      {devices.value !== null && (
        <ul className="devices devices-framed" aria-label={t('devices.list')}>
          {replaceableDevices(devices.value, preview).map((device) => (
            <DeviceRow
              key={device.activationId}
              device={device}
              actionLabel={t('devices.replace')}
              pending={action.pending && replacingId === device.activationId}
              onAction={() => void replace(device)}
            />
          ))}
        </ul>
      )}
    </>
  );
}

function loadDevices(): void {
  void runCommand(() => bridge.listDevices());
}
