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
type ActivatedOutcome = Extract<ActivationOutcome, { kind: 'activated' }>;

/** Set while the dialog is open. */
type Limit = {
  /** An empty key means the one that this device still has. */
  readonly licenseKey: string;
  readonly outcome: LimitOutcome;
  /** Closes the dialog; `activated` says whether a device was replaced. */
  readonly close: (activated: boolean) => void;
};

export type Activation = {
  readonly action: Action;
  readonly limit: Limit | null;
  /** Resolves to whether this device is activated now; at the device limit, when the dialog closes. */
  readonly activate: (licenseKey: string) => Promise<boolean>;
};

/** Activates this device; render `LimitDialog` with the result. `onFailure` is for components that show no failure. */
export function useActivation(onFailure?: (failure: Failure) => void): Activation {
  const { t, locale } = useMessages();
  const action = useAction();
  const [limit, setLimit] = useState<Limit | null>(null);
  const askForReplacement = (licenseKey: string, outcome: LimitOutcome) =>
    new Promise<boolean>((resolve) => {
      const close = (activated: boolean) => {
        setLimit(null);
        resolve(activated);
      };
      setLimit({ licenseKey, outcome, close });
    });
  const activate = async (licenseKey: string) => {
    const result = await action.run(async () => {
      const activated = await bridge.activateLicense({ licenseKey });
      if (!activated.ok) onFailure?.(activated.failure);
      return activated;
    });
    if (result === null) return false;
    const outcome = result.value;
    if (outcome.kind === 'device-limit-reached') return askForReplacement(licenseKey, outcome);
    const count = activationCount(outcome);
    const message = count === null ? t('devices.activatedTitle') : t('devices.activatedToast', count);
    showToast(withNewDevices(message, outcome, t, locale));
    return true;
  };
  return { action, limit, activate };
}

/** Open while the activation has met the device limit; its devices can be replaced if the server lists them. */
export function LimitDialog({ limit }: Pick<Activation, 'limit'>) {
  return limit === null ? null : <OpenLimitDialog limit={limit} />;
}

/**
 * If another device takes the freed activation first, the server reports the limit again: the main process has then
 * reloaded the devices, and the user chooses again.
 */
function OpenLimitDialog({ limit }: { readonly limit: Limit }) {
  const { t, locale } = useMessages();
  const { licenseKey, close } = limit;
  const [outcome, setOutcome] = useState(limit.outcome);
  const [repeats, setRepeats] = useState(0);
  // A list that could not be reloaded is offered again once it is.
  const hasList = useApp(({ devices }) => devices.failure !== null || (devices.value ?? []).length > 0);
  const canReplace = outcome.canReplace || (repeats > 0 && hasList);
  const action = useAction();
  const replace = async (device: Device) => {
    const result = await action.run(() => bridge.activateLicense({ licenseKey, replaces: device.activationId }));
    if (result === null) return;
    const replaced = result.value;
    if (replaced.kind === 'activated') {
      const message = t('devices.replaced', { name: device.name || t('devices.unnamed') });
      showToast(withNewDevices(message, replaced, t, locale));
      return close(true);
    }
    setOutcome(replaced);
    setRepeats(replaced.newDevices ? 0 : repeats + 1);
  };
  return (
    <WideDialog title={t('devices.limitTitle')} onClose={() => close(false)}>
      <p className="dialog-text" aria-live="polite">
        {limitText({ ...outcome, canReplace }, t, locale)}
      </p>
      {/* A new key each time, so that the alert is announced again. */}
      {repeats > 0 && canReplace && (
        <Banner key={repeats} tone="attention" role="alert" title={t('devices.limitAgain')} />
      )}
      {action.failure !== null && <FailureAlert failure={action.failure} />}
      {canReplace && <ReplaceableDevices licenseKey={licenseKey} pending={action.pending} onReplace={replace} />}
    </WideDialog>
  );
}

function limitText({ canReplace, maxActivations, newDevices }: LimitOutcome, t: Translate, locale: string): string {
  if (newDevices) return t('devices.newDeviceLimitText', { date: newDevicesDay(newDevices, locale) });
  if (!canReplace) return t('devices.limitNoList');
  if (maxActivations === null || maxActivations === 0) return t('devices.limitTextUnknown');
  return t('devices.limitText', { count: maxActivations });
}

function withNewDevices(message: string, { newDevices }: ActivatedOutcome, t: Translate, locale: string): string {
  if (newDevices === undefined) return message;
  const date = newDevicesDay(newDevices, locale);
  const { remaining: count } = newDevices;
  return `${message} ${count === 0 ? t('devices.newDevicesNone', { date }) : t('devices.newDevices', { count, date })}`;
}

/** The day is one of UTC. */
function newDevicesDay({ until }: NewDevices, locale: string): string {
  return fullDay(until, locale, 'UTC');
}

type ReplaceableDevicesProps = {
  readonly licenseKey: string;
  readonly pending: boolean;
  readonly onReplace: (device: Device) => Promise<void>;
};

/** The devices that this one could replace, as the state lists them. */
function ReplaceableDevices({ licenseKey, pending, onReplace }: ReplaceableDevicesProps) {
  const { t } = useMessages();
  const devices = useApp((app) => app.devices);
  const ownPreview = useApp((app) => app.thisDevice?.license?.keyPreview ?? null);
  const [replacingId, setReplacingId] = useState<string | null>(null);
  const isMissing = devices.value === null;
  useEffect(() => {
    if (isMissing) loadDevices();
  }, [isMissing]);

  const replace = (device: Device) => {
    setReplacingId(device.activationId);
    void onReplace(device);
  };
  const preview = licenseKey === '' ? ownPreview : keyPreviewOf(licenseKey);
  return (
    <>
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
              pending={pending && replacingId === device.activationId}
              onAction={() => replace(device)}
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
