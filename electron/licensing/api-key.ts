/**
 * The account's API key: generated once, held until the user has saved it, then only its prefix and whether it is
 * revoked.
 */
import type { ApiKeyResponse, ApiKeyStatusResponse } from '../../shared/api/api-key.ts';
import { previewApiKey } from '../../shared/formats/api-key.ts';
import { describeReport, toKnownKey } from '../../shared/ipc/from-api.ts';
import type { ApiKeyOutcome } from '../../shared/ipc/ipc-schema.ts';
import { type Done, fail, type Result, succeed } from '../../shared/ipc/result.ts';
import type { ActivityLog } from './activity-log.ts';
import type { ApiResult } from './api-response.ts';
import type { ChangeNotifier } from './change-notifier.ts';
import { failureNow } from './failure.ts';
import type { FeatureGate } from './feature-gate.ts';
import type { LicenseFacts, LicenseStore, Writing } from './license-store.ts';
import type { Clock, Random } from './platform.ts';
import type { Session } from './session.ts';

type ApiKeyDeps = {
  readonly session: Session;
  readonly store: LicenseStore;
  readonly features: FeatureGate;
  readonly activity: ActivityLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly changes: ChangeNotifier;
};

/** How long the last response about the key is used before the server is asked again, unless the user asks. */
const checkEveryMs = 15 * 60_000;

export class ApiKey {
  readonly #deps: ApiKeyDeps;
  /** Kept in memory only. */
  #unsaved: string | null = null;
  #isCheckSupported = true;
  /** Monotonic time. */
  #checkedAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: ApiKeyDeps) {
    this.#deps = deps;
  }

  /** The new key, until the user confirms having saved it. */
  get unsaved(): string | null {
    return this.#unsaved;
  }

  /** Generates the first key, replaces the key, or returns the prefix of the existing one; requires `api_access`. */
  async generate(replace: boolean): Promise<Result<ApiKeyOutcome>> {
    const { session, store, features, activity, clock } = this.#deps;
    const userId = session.user?.id;
    const signedOut = session.signedOutFailure();
    if (signedOut) return fail(signedOut);
    const gate = features.check('api_access');
    if (!gate.ok) return gate;
    const idempotencyKey = await this.#startRequest(replace);
    // Never touch the key of another user who signed in meanwhile.
    if (session.user?.id !== userId) return fail(failureNow(clock, 'CANCELED', 'The session has changed.'));
    const result = await session.call('apiKey', { body: replace ? { regenerate: true } : {}, idempotencyKey });
    if (result.kind === 'inconclusive') return fail(result.failure);
    if (result.kind !== 'success') {
      await store.update({ pendingApiKey: null });
      return fail(result.failure);
    }
    const { response } = result;
    if (!('api_key' in response)) {
      await this.#record(response, response.api_key_prefix);
      return succeed({ kind: 'existing', prefix: response.api_key_prefix });
    }
    const reported = describeReport(store.facts.apiKey);
    this.#unsaved = response.api_key;
    const prefix = previewApiKey(response.api_key);
    activity.add('api-key-generated', prefix);
    await this.#record(response, prefix);
    return succeed({ kind: 'generated', apiKey: response.api_key, ...(reported && { reported }) });
  }

  /** Asks the server whether the key was revoked. */
  async check(): Promise<Done> {
    const result = await this.#loadStatus('now');
    return result.kind === 'success' ? succeed(null) : fail(result.failure);
  }

  /** Like `check`, within a sync; `null` if there is nothing to ask or the last check was recent. */
  async checkIfDue(isRequested: boolean): Promise<ApiResult<unknown> | null> {
    const { clock, store, features } = this.#deps;
    if (!this.#isCheckSupported) return null;
    if (store.facts.apiKey === null && !features.check('api_access').ok) return null;
    if (!isRequested && clock.monotonic() - this.#checkedAtMs < checkEveryMs) return null;
    return this.#loadStatus('later');
  }

  /** Called once the user has saved the new key. */
  forgetUnsaved(): void {
    this.#unsaved = null;
    this.#deps.changes.notify();
  }

  /** Called when the user has signed out. */
  forget(): void {
    this.#checkedAtMs = Number.NEGATIVE_INFINITY;
    this.forgetUnsaved();
  }

  /** Called when the server has changed. */
  forgetServer(): void {
    this.#isCheckSupported = true;
  }

  async #loadStatus(writing: Writing): Promise<ApiResult<ApiKeyStatusResponse>> {
    const { session, store, clock } = this.#deps;
    const before = store.facts.apiKey;
    const result = await session.call('apiKeyStatus');
    if (result.kind === 'unsupported') this.#isCheckSupported = false;
    if (result.kind !== 'success') return result;
    this.#checkedAtMs = clock.monotonic();
    // A key generated meanwhile is newer than the response. One that the server made for a request whose response was
    // lost stays unknown here: repeating the command returns it in full, the status only its prefix.
    const isRequested = store.facts.pendingApiKey?.replace === false && result.response.key?.revoked_at === null;
    if (store.facts.apiKey === before && !isRequested) await this.#recordStatus(result.response, writing);
    return result;
  }

  async #recordStatus({ key }: ApiKeyStatusResponse, writing: Writing): Promise<void> {
    const { store, activity, changes } = this.#deps;
    const before = store.facts.apiKey;
    const apiKey = key && toKnownKey(key);
    if (apiKey?.revoked && !isKnownAsRevoked(apiKey, before)) {
      activity.add(apiKey.revoked.reported ? 'api-key-reported' : 'api-key-revoked', apiKey.prefix);
    }
    const stored = store.update({ apiKey }, writing);
    changes.notify();
    await stored;
  }

  /**
   * The idempotency key is stored from before it is sent until the response is known: repeating the command after a
   * lost response returns the key that was generated instead of generating another.
   */
  async #startRequest(replace: boolean): Promise<string> {
    const { store, random } = this.#deps;
    const pending = store.facts.pendingApiKey;
    if (pending?.replace === replace) return pending.idempotencyKey;
    const idempotencyKey = random.uuid();
    await store.update({ pendingApiKey: { idempotencyKey, replace } });
    return idempotencyKey;
  }

  async #record(response: ApiKeyResponse, prefix: string): Promise<void> {
    const { store, changes } = this.#deps;
    const stored = store.update({
      apiKey: { prefix, isLegacy: response.is_legacy, createdAt: response.created_at, revoked: null },
      pendingApiKey: null,
    });
    changes.notify();
    await stored;
  }
}

type StoredKey = NonNullable<LicenseFacts['apiKey']>;

function isKnownAsRevoked({ prefix, createdAt }: StoredKey, before: StoredKey | null): boolean {
  return before?.prefix === prefix && before.createdAt === createdAt && before.revoked !== null;
}
