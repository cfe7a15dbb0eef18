/** Hook for activating this device; at the device limit the caller shows `LimitDialog`. */
import { useState } from 'react';
import type { ActivationOutcome } from '../../shared/ipc/activation-outcome.ts';
import type { Failure, Result } from '../../shared/ipc/result.ts';
import { bridge } from '../bridge.ts';
import { showToast } from '../components/toast-store.ts';
import { activationCount } from '../i18n/account-messages.ts';
import { type Translate, useMessages } from '../i18n/messages.ts';
import { runCommand } from '../run-command.ts';
import { forgetLicenseKey } from '../store.ts';
import { type Action, useAction, useFailureToast } from '../use-action.ts';
import { useIsShown } from '../use-is-shown.ts';

export type LimitOutcome = Extract<ActivationOutcome, { kind: 'device-limit-reached' }>;
type ActivatedOutcome = Extract<ActivationOutcome, { kind: 'activated' }>;

/** Sends the activation, including repeats that replace another device. */
type SendActivation = (options: { readonly replaces?: string }) => Promise<Result<ActivationOutcome>>;

/** State of the open limit dialog. */
export type Limit = {
  readonly send: SendActivation;
  readonly outcome: LimitOutcome;
  /** Closes the dialog; `activated` says whether this device is now activated. */
  readonly close: (activated: boolean) => void;
};

type Activation = {
  readonly action: Action;
  readonly limit: Limit | null;
  /**
   * Resolves to whether this device is now activated; at the device limit, once the dialog closes. An empty key means
   * the one stored on this device.
   */
  readonly activate: (licenseKey: string) => Promise<boolean>;
  /** Like `activate`, with a key that the window does not know. */
  readonly activateWith: (send: SendActivation) => Promise<boolean>;
};

/**
 * Activates this device; render `LimitDialog` while there is a `limit`. `onFailure` is for components that do not show
 * failures.
 */
export function useActivation(onFailure?: (failure: Failure) => void): Activation {
  const { t } = useMessages();
  const action = useAction();
  const showFailure = useFailureToast();
  // The user may open another screen before the server has answered, and still wants to know what it was.
  const isShown = useIsShown();
  const [limit, setLimit] = useState<Limit | null>(null);
  const askForReplacement = (send: SendActivation, outcome: LimitOutcome) =>
    new Promise<boolean>((resolve) => {
      const close = (activated: boolean) => {
        setLimit(null);
        resolve(activated);
      };
      setLimit({ send, outcome, close });
    });
  const activateWith = async (send: SendActivation) => {
    const result = await action.run(async (isWaiting) => {
      const activated = await send({});
      const report = isShown.current ? onFailure : showFailure;
      if (!activated.ok && isWaiting()) report?.(activated.failure);
      return activated;
    });
    if (result === null) return false;
    const outcome = result.value;
    if (outcome.kind === 'device-limit-reached') {
      if (isShown.current) return askForReplacement(send, outcome);
      showToast(t('devices.limitTitle'), 'blocked');
      return false;
    }
    showToast(activatedMessage(outcome, t));
    return true;
  };
  const activate = (licenseKey: string) =>
    activateWith(async (options) => {
      const sent = await runCommand(() => bridge.activateLicense({ licenseKey, ...options }));
      // Also if the user has stopped waiting for it.
      if (sent.ok && sent.value.kind === 'activated') forgetLicenseKey(licenseKey);
      return sent;
    });
  return { action, limit, activate, activateWith };
}

export function activatedMessage(outcome: ActivatedOutcome, t: Translate): string {
  const count = activationCount(outcome);
  return count === null ? t('devices.activatedTitle') : t('devices.activatedToast', count);
}
