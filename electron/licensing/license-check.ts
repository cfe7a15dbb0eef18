/** Asks the server about the account and the license of this device, and saves what was conclusive. */

import { endpoints } from '../../shared/api/endpoints.ts';
import type { ValidateLicenseResponse } from '../../shared/api/license.ts';
import type { SubscriptionStatusResponse } from '../../shared/api/subscription.ts';
import { boundCode, boundSentence, instantOf } from './failure.ts';
import type { Clock } from './platform.ts';
import type { ApiOutcome } from './read-answer.ts';
import type { SavedState } from './saved-state.ts';
import type { Session } from './session.ts';
import type { TrustedTime } from './trusted-time.ts';

export type LicenseCheck = {
  /** Loads subscription, license summary and features of the account. */
  readonly status: () => Promise<ApiOutcome<SubscriptionStatusResponse>>;
  /** Asks about any key on this device; nothing is saved. */
  readonly ask: (licenseKey: string) => Promise<ApiOutcome<ValidateLicenseResponse>>;
  /** Asks about the key that this device holds and saves the verdict; `null` where it holds none. */
  readonly validateHeld: () => Promise<ApiOutcome<ValidateLicenseResponse> | null>;
  /** Saves a verdict about the held key. */
  readonly saveVerdict: (answer: ValidateLicenseResponse) => Promise<void>;
};

export type LicenseCheckParts = {
  readonly session: Session;
  readonly saved: SavedState;
  readonly clock: Clock;
  readonly trustedTime: TrustedTime;
  readonly deviceId: () => string;
  readonly onChange: () => void;
};

/** The questions about the license, each asked through the session. */
export function createLicenseCheck(parts: LicenseCheckParts): LicenseCheck {
  const { session, saved, clock, trustedTime } = parts;
  let verdicts = 0;

  async function status(): Promise<ApiOutcome<SubscriptionStatusResponse>> {
    const outcome = await session.call('subscriptionStatus');
    if (outcome.kind === 'answer') {
      const written = saved.update({ status: { answer: outcome.answer, at: instantOf(clock.now()) } });
      parts.onChange();
      await written;
    }
    return outcome;
  }

  async function ask(licenseKey: string): Promise<ApiOutcome<ValidateLicenseResponse>> {
    const body = { license_key: licenseKey, device_id: parts.deviceId() };
    return asVerdict(await session.call('validateLicense', { body }));
  }

  async function validateHeld(): Promise<ApiOutcome<ValidateLicenseResponse> | null> {
    const { licenseKey } = saved.facts();
    if (licenseKey === null) return null;
    const before = verdicts;
    const outcome = await ask(licenseKey);
    // An activation or a release that ended meanwhile knows more than this answer.
    const current = before === verdicts && saved.facts().licenseKey === licenseKey;
    if (outcome.kind === 'answer' && current) await saveVerdict(outcome.answer);
    return outcome;
  }

  async function saveVerdict(answer: ValidateLicenseResponse): Promise<void> {
    verdicts++;
    trustedTime.confirm();
    const nowMs = clock.now();
    const written = saved.update({ validation: { answer, at: instantOf(nowMs) }, highestWallMs: nowMs });
    parts.onChange();
    await written;
  }

  return { status, ask, validateHeld, saveVerdict };
}

/** A server may refuse in the plain envelope with one of the verdicts' codes: that is as conclusive as `valid: false`. */
function asVerdict(outcome: ApiOutcome<ValidateLicenseResponse>): ApiOutcome<ValidateLicenseResponse> {
  if (outcome.kind === 'answer') return { ...outcome, answer: bound(outcome.answer) };
  if (outcome.kind !== 'refused') return outcome;
  const { code, message } = outcome.failure;
  if (!endpoints.validateLicense.invalidCodes.some((verdict) => verdict === code)) return outcome;
  return { kind: 'answer', answer: { valid: false, error: message, code }, serverTimeMs: null };
}

function bound(answer: ValidateLicenseResponse): ValidateLicenseResponse {
  return answer.valid ? answer : { valid: false, error: boundSentence(answer.error), code: boundCode(answer.code) };
}
