/** The API key of the account: generated once, held until the user has saved it, afterwards only its prefix. */
import { type ApiKeyResponse, readReportedKey } from '../../shared/api/api-key.ts';
import { previewApiKey } from '../../shared/formats/api-key.ts';
import type { ApiKeyOutcome } from '../../shared/ipc/ipc-schema.ts';
import { fail, type Result, succeed } from '../../shared/ipc/result.ts';
import type { ActivityLog } from './activity-log.ts';
import type { ChangeNotifier } from './change-notifier.ts';
import type { FeatureGate } from './feature-gate.ts';
import type { LicenseStore } from './license-store.ts';
import type { Random } from './platform.ts';
import type { Session } from './session.ts';

export type ApiKeyDeps = {
  readonly session: Session;
  readonly store: LicenseStore;
  readonly features: FeatureGate;
  readonly activity: ActivityLog;
  readonly random: Random;
  readonly changes: ChangeNotifier;
};

export class ApiKey {
  readonly #deps: ApiKeyDeps;
  /** Only ever in memory. */
  #unsaved: string | null = null;

  constructor(deps: ApiKeyDeps) {
    this.#deps = deps;
  }

  /** The new key, until the user confirms having saved it. */
  get unsaved(): string | null {
    return this.#unsaved;
  }

  /** Generates the first key, replaces the key, or finds the prefix of the existing one; requires `api_access`. */
  async generate(replace: boolean): Promise<Result<ApiKeyOutcome>> {
    const { session, store, features, activity } = this.#deps;
    const signedOut = session.signedOutFailure();
    if (signedOut) return fail(signedOut);
    const gate = features.check('api_access');
    if (!gate.ok) return gate;
    const idempotencyKey = await this.#startRequest(replace);
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
    this.#unsaved = response.api_key;
    const prefix = previewApiKey(response.api_key);
    activity.add('api-key-generated', prefix);
    await this.#record(response, prefix);
    const reported = readReportedKey(response.message);
    return succeed({
      kind: 'generated',
      apiKey: response.api_key,
      ...(reported && {
        reported: { prefix: reported.prefix, at: new Date(reported.reportedAtMs).toISOString() },
      }),
    });
  }

  /** Forgets the new key: the user has saved it or has signed out. */
  forget(): void {
    this.#unsaved = null;
    this.#deps.changes.notify();
  }

  /**
   * The idempotency key is stored before it is sent and until the response is known: the same command after a lost
   * response returns the key that was generated, and generates no other one.
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
      apiKey: { prefix, isLegacy: response.is_legacy, createdAt: response.created_at },
      pendingApiKey: null,
    });
    changes.notify();
    await stored;
  }
}
