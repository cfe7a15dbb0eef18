/** Activates this device with a license key: validate, activate, and at the limit the devices that could make room. */
import type { ValidateLicenseResponse, ValidLicense } from '../../shared/api/license.ts';
import { normaliseLicenseKey } from '../../shared/formats/license-key.ts';
import type { ActivationOutcome } from '../../shared/ipc/ipc-schema.ts';
import { type Failure, fail, type Result, succeed } from '../../shared/ipc/result.ts';
import type { DeviceList } from './device-list.ts';
import { failureNow } from './failure.ts';
import type { LicenseCheck } from './license-check.ts';
import type { Clock, Machine } from './platform.ts';
import type { SavedState } from './saved-state.ts';
import type { Session } from './session.ts';

export type ActivationParts = {
  readonly session: Session;
  readonly saved: SavedState;
  readonly check: LicenseCheck;
  readonly devices: DeviceList;
  readonly machine: Machine;
  readonly clock: Clock;
  readonly deviceId: () => string;
};

export type ActivationInput = { readonly licenseKey: string; readonly replaces?: string };

const longestName = 200;

/** The act: an empty key means the one that this device holds already. */
export function createActivation(parts: ActivationParts) {
  const { session, saved, check, devices, machine, clock } = parts;

  return async function activate(input: ActivationInput): Promise<Result<ActivationOutcome>> {
    const licenseKey = chooseKey(input.licenseKey, saved.facts().licenseKey);
    const verdict = await check.ask(licenseKey);
    if (verdict.kind !== 'answer') return fail(verdict.failure);
    if (!verdict.answer.valid) return refuse(licenseKey, verdict.answer);
    if (verdict.answer.already_activated_on_device)
      return hold(licenseKey, knownActivation(licenseKey), verdict.answer);
    const outcome = await session.call('activateLicense', {
      body: {
        license_key: licenseKey,
        device_id: parts.deviceId(),
        device_name: asName(machine.deviceName),
        platform: asName(machine.platform),
        ...(input.replaces === undefined ? {} : { replaces: input.replaces }),
      },
    });
    if (outcome.kind === 'answer') {
      const { activation_id: activationId, activations, max_activations } = outcome.answer;
      return hold(licenseKey, activationId, { ...verdict.answer, activations, max_activations });
    }
    const atLimit = outcome.kind === 'refused' && outcome.failure.code === 'MAX_ACTIVATIONS_REACHED';
    return atLimit ? offerReplacement(verdict.answer) : fail(outcome.failure);
  };

  /** A verdict on the key that is held already counts for this device; on another one it is only an answer. */
  async function refuse(
    licenseKey: string,
    answer: Extract<ValidateLicenseResponse, { valid: false }>,
  ): Promise<{ ok: false; failure: Failure }> {
    if (licenseKey === saved.facts().licenseKey) await check.saveVerdict(answer);
    return fail(failureNow(clock, answer.code, answer.error));
  }

  async function hold(
    licenseKey: string,
    activationId: string | null,
    license: ValidLicense,
  ): Promise<Result<ActivationOutcome>> {
    const held = saved.update({ licenseKey, activationId });
    const verdict = check.saveVerdict({ ...license, can_activate: true, already_activated_on_device: true });
    await Promise.all([held, verdict]);
    await check.status();
    if (devices.capability() !== 'missing') await devices.load();
    const { activations, max_activations: maxActivations } = license;
    return succeed({ kind: 'activated', activations, maxActivations });
  }

  function knownActivation(licenseKey: string): string | null {
    return licenseKey === saved.facts().licenseKey ? saved.facts().activationId : null;
  }

  async function offerReplacement(license: ValidLicense): Promise<Result<ActivationOutcome>> {
    const listed = devices.capability() === 'missing' ? null : await devices.load();
    return succeed({
      kind: 'device-limit-reached',
      maxActivations: license.max_activations,
      canReplace: listed?.ok === true && (devices.devices().value ?? []).length > 0,
    });
  }
}

/** A name as the interface takes it: 200 code points of valid Unicode. */
function asName(text: string): string {
  return [...text.toWellFormed().replaceAll('\0', '')].slice(0, longestName).join('');
}

function chooseKey(typed: string, held: string | null): string {
  const text = typed.trim();
  if (text === '' && held !== null) return held;
  return normaliseLicenseKey(text) ?? text;
}
