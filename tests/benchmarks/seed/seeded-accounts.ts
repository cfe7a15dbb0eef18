/**
 * Accounts from which a benchmark starts. Everything in an account is derived from its number, so nothing is stored
 * twice.
 */
import { hash } from 'node:crypto';
import { hashApiKey } from '../../../server/api-keys/api-key-hash.ts';
import type { Tables } from '../../../server/database/tables.ts';
import { LicenseKeyHasher } from '../../../server/licenses/license-key-hash.ts';
import { newUuid } from '../../../server/random.ts';
import { formatApiKey, previewApiKey } from '../../../shared/formats/api-key.ts';
import { formatDeviceId } from '../../../shared/formats/device-id.ts';
import { formatLicenseKey, previewLicenseKey } from '../../../shared/formats/license-key.ts';

export const seededPassword = 'quiet harbour lantern 47';

/** The rows of some tables, in the order in which they can be inserted. */
export type SeedRows = { readonly [T in keyof Tables]?: Tables[T] };

export type SeedInput = {
  readonly nowMs: number;
  readonly pepper: Buffer;
  /** Hash of `seededPassword`; shared by all, because a hash takes 7 ms. */
  readonly passwordHash: string;
};

const dayMs = 86_400_000;

function bytesOf(what: string, number: number): Buffer {
  return hash('sha256', `${what} ${number}`, 'buffer');
}

/** Returns ids in the order of the numbers, just as the ids of a real database are in the order of time. */
export function idOf(what: string, number: number): string {
  return newUuid(1_700_000_000_000 + number, () => bytesOf(what, number).subarray(0, 16));
}

export const emailOf = (number: number) => `user-${number}@example.com`;
export const userIdOf = (number: number) => idOf('user', number);
export const sessionIdOf = (number: number) => idOf('session', number);
export const deviceIdOf = (number: number) => formatDeviceId(bytesOf('device', number));
export const refreshTokenOf = (number: number) => `v1.${bytesOf('refresh token', number).toString('base64url')}`;
export const apiKeyOf = (number: number) => formatApiKey(bytesOf('api key', number).toString('base64url').slice(0, 24));
export const licenseKeyOf = (number: number) =>
  formatLicenseKey([...bytesOf('license key', number).subarray(0, 15)].map((byte) => byte & 31));

/** Returns an account with a subscription and an API key, which is what key validation reads. */
export function keyRows(number: number, { nowMs, passwordHash }: SeedInput): SeedRows {
  const [userId, apiKey] = [userIdOf(number), apiKeyOf(number)];
  const created = { created_at_ms: nowMs, updated_at_ms: nowMs };
  return {
    users: {
      id: userId,
      email: emailOf(number),
      email_key: emailOf(number),
      full_name: `User ${number}`,
      password_hash: passwordHash,
      created_at_ms: nowMs,
      password_changed_at_ms: nowMs,
      email_confirmed_at_ms: null,
      password_set_by: null,
    },
    subscriptions: {
      ...created,
      id: idOf('subscription', number),
      user_id: userId,
      plan: 'standard',
      status: 'active',
      current_period_start_ms: nowMs - dayMs,
      current_period_end_ms: nowMs + 365 * dayMs,
      cancel_at_period_end: 0,
      source: 'account',
      reference: userId,
      event_at_ms: null,
      is_replaced: 0,
      by_typed_email: 0,
      noticed_lead_ms: null,
    },
    api_keys: {
      id: idOf('api key', number),
      user_id: userId,
      key_hash: hashApiKey(apiKey),
      key_prefix: previewApiKey(apiKey),
      is_legacy: 0,
      legacy_expires_at_ms: null,
      created_at_ms: nowMs,
      revoked_at_ms: null,
      reported_at_ms: null,
    },
  };
}

/**
 * Returns an account with everything that it can have, including a session, and a license for five devices that is
 * active on one.
 */
export function memberRows(number: number, input: SeedInput): SeedRows {
  const { nowMs, pepper } = input;
  const [userId, licenseId, sessionId] = [userIdOf(number), idOf('license', number), sessionIdOf(number)];
  const licenseKey = licenseKeyOf(number);
  const created = { created_at_ms: nowMs, updated_at_ms: nowMs };
  return {
    ...keyRows(number, input),
    sessions: {
      id: sessionId,
      user_id: userId,
      created_at_ms: nowMs,
      expires_at_ms: nowMs + 7 * dayMs,
      revoked_at_ms: null,
      user_agent: null,
    },
    refresh_tokens: {
      token_hash: hash('sha256', refreshTokenOf(number)),
      session_id: sessionId,
      created_at_ms: nowMs,
      expires_at_ms: nowMs + 7 * dayMs,
      used_at_ms: null,
      successor_hash: null,
      idempotency_key_hash: null,
      encrypted_successor: null,
    },
    licenses: {
      ...created,
      id: licenseId,
      key_hash: new LicenseKeyHasher({ pepper }).hash(licenseKey),
      key_preview: previewLicenseKey(licenseKey),
      user_id: userId,
      plan: 'standard',
      status: 'active',
      max_activations: 5,
      expires_at_ms: null,
      updates_until_ms: null,
      with_subscription: 0,
      noticed_lead_ms: null,
    },
    activations: {
      id: idOf('activation', number),
      license_id: licenseId,
      device_id: deviceIdOf(number),
      device_name: 'Office computer',
      platform: 'linux',
      activated_at_ms: nowMs,
      last_seen_at_ms: nowMs,
      released_at_ms: null,
      lease_expires_at_ms: null,
      several_installations_at_ms: null,
    },
  };
}
