/** Generates and regenerates the API key of a user, and returns its prefix. */
import type { ApiKeyResponse, ApiKeyStatusResponse } from '../../shared/api/api-key.ts';
import { previewApiKey } from '../../shared/formats/api-key.ts';
import type { AuditContext, AuditTarget } from '../audit/audit-event.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import { toIso, toIsoOrNull } from '../clock.ts';
import type { Executor, Transaction } from '../database/database.ts';
import { lockUser } from '../database/row-locks.ts';
import { ApiError } from '../errors.ts';
import type { IdempotentRequest, IdempotentResponseService } from '../idempotency/idempotent-response.service.ts';
import { freePlan, type PlanService } from '../plans/plan.service.ts';
import { newUuid, type Random } from '../random.ts';
import type { SubscriptionService } from '../subscriptions/subscription.service.ts';
import type { EventOutbox } from '../webhooks/event-outbox.ts';
import * as repository from './api-key.repository.ts';
import { type ApiAccessProblem, evaluateApiAccess, isGrandfathered } from './api-key.rules.ts';
import { hashApiKey, newApiKey } from './api-key-hash.ts';

type ApiKeyServiceDeps = AuditedDeps & {
  readonly outbox: EventOutbox;
  readonly plans: PlanService;
  readonly subscriptions: SubscriptionService;
  readonly idempotentResponses: IdempotentResponseService;
  /** Returns false if the session has ended. */
  readonly isSessionOpen: (transaction: Transaction, sessionId: string) => Promise<boolean>;
};

/** The plan of the user's subscription, and why it gives no API access, if so. */
type ApiAccess = { readonly plan: string; readonly problem: ApiAccessProblem | undefined };

/** A request for a user's key. */
type KeyRequest = {
  readonly userId: string;
  /** Session that the request comes from. */
  readonly sessionId: string;
  readonly regenerate: boolean;
  readonly by: AuditContext;
};

export class ApiKeyService {
  readonly #deps: ApiKeyServiceDeps;

  constructor(deps: ApiKeyServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Handles `/metrics/api-key`: returns a first key, the prefix of the existing one, or with `regenerate` a new key,
   * which invalidates the old one. Throws `ApiError` SUBSCRIPTION_INACTIVE, API_ACCESS_DISABLED, or INVALID_TOKEN if
   * the session has ended meanwhile.
   */
  async generateOrRetrieve(request: KeyRequest): Promise<ApiKeyResponse> {
    const { database, clock } = this.#deps;
    const { userId, regenerate } = request;
    const existing = regenerate ? undefined : await repository.findCurrentApiKey(database.read, userId);
    if (existing) return retrieve(existing, await this.#readAccess(database.read, userId), clock.now());
    return database.write(async (transaction) => {
      await this.#lockOwner(transaction, request);
      return this.#generate(transaction, request);
    });
  }

  /**
   * Like `generateOrRetrieve`, but returns the new key again for the same request within 10 minutes, so that a lost
   * response never loses a key. If that key was replaced or revoked in the meantime, `regenerate` is not repeated: it
   * would replace the key that another device has just received. Throws VALIDATION_ERROR for the same Idempotency-Key
   * with another `regenerate`.
   */
  async generateOrRepeat(keyRequest: KeyRequest, request: IdempotentRequest): Promise<ApiKeyResponse> {
    const { database, idempotentResponses } = this.#deps;
    const { userId, regenerate } = keyRequest;
    return database.write(async (transaction) => {
      await this.#lockOwner(transaction, keyRequest);
      const saved = await idempotentResponses.find<ApiKeyResponse>(transaction, request);
      if (saved && (await isCurrent(transaction, userId, saved))) return saved;
      const response = await this.#generate(transaction, { ...keyRequest, regenerate: regenerate && !saved });
      if (!saved || 'api_key' in response) await idempotentResponses.save(transaction, request, response);
      return response;
    });
  }

  /** Handles `/metrics/api-key/status`: returns the current key, otherwise the last one, even without API access. */
  async readStatus(userId: string): Promise<ApiKeyStatusResponse> {
    const { read } = this.#deps.database;
    const row = (await repository.findCurrentApiKey(read, userId)) ?? (await repository.findLastApiKey(read, userId));
    return { key: row ? describeStatus(row) : null };
  }

  /**
   * Locks the account. Throws `ApiError` INVALID_TOKEN if the session has ended since the request was admitted, which
   * includes that the account has been deleted. Otherwise a thief who is locked out could still get a key.
   */
  async #lockOwner(transaction: Transaction, { userId, sessionId }: KeyRequest): Promise<void> {
    await lockUser(transaction, userId);
    if (!(await this.#deps.isSessionOpen(transaction, sessionId))) throw new ApiError('INVALID_TOKEN');
  }

  async #generate(transaction: Transaction, { userId, regenerate, by }: KeyRequest): Promise<ApiKeyResponse> {
    const { clock, random, auditLog, outbox } = this.#deps;
    const nowMs = clock.now();
    const access = await this.#readAccess(transaction, userId);
    const existing = await repository.findCurrentApiKey(transaction, userId);
    if (existing && !regenerate) return retrieve(existing, access, nowMs);
    if (access.problem) throw new ApiError(access.problem);
    const apiKey = newApiKey(random);
    const row = newApiKeyRow({ userId, keyHash: hashApiKey(apiKey), prefix: previewApiKey(apiKey), nowMs }, random);
    const last = existing ?? (await repository.findLastApiKey(transaction, userId));
    await repository.revokeCurrentApiKeys(transaction, [userId], nowMs);
    await repository.deleteOldApiKeys(transaction, userId);
    await repository.insertApiKey(transaction, row);
    const isReplaced = existing !== undefined || last?.reported_at_ms != null;
    const action = existing ? 'api_key.regenerate' : 'api_key.generate';
    const details = { key_prefix: row.key_prefix };
    await auditLog.record(transaction, { ...by, action, target: apiKeyTarget(row), details });
    if (isReplaced) {
      const data = { api_key_id: row.id, api_key_prefix: row.key_prefix };
      await outbox.add(transaction, { type: 'api_key.regenerated', userId, data });
    }
    return { api_key: apiKey, ...describeKey(row, access.plan), message: describeNewKey(existing, last) };
  }

  async #readAccess(executor: Executor, userId: string): Promise<ApiAccess> {
    const { plans, subscriptions } = this.#deps;
    const access = await subscriptions.findAccess(userId, executor);
    if (!access) return { plan: freePlan, problem: evaluateApiAccess({ subscription: undefined }) };
    const { plan } = access.subscription;
    const { api_access } = (await plans.loadFeatures(executor))(plan);
    const subscription = { givesAccess: access.givesAccess, planHasApiAccess: api_access };
    return { plan, problem: evaluateApiAccess({ subscription }) };
  }
}

type NewKey = {
  readonly userId: string;
  readonly keyHash: string;
  readonly prefix: string;
  readonly nowMs: number;
  /** Set for a legacy key. */
  readonly legacyExpiresAtMs?: number;
};

/** Creates the row of a new current key. */
export function newApiKeyRow(key: NewKey, random: Random): repository.ApiKeyRow {
  return {
    id: newUuid(key.nowMs, random),
    user_id: key.userId,
    key_hash: key.keyHash,
    key_prefix: key.prefix,
    is_legacy: key.legacyExpiresAtMs === undefined ? 0 : 1,
    legacy_expires_at_ms: key.legacyExpiresAtMs ?? null,
    created_at_ms: key.nowMs,
    revoked_at_ms: null,
    reported_at_ms: null,
  };
}

/** Returns the audit target of a key, labeled with its owner's email. */
export function apiKeyTarget({ id, user_id }: Pick<repository.ApiKeyRow, 'id' | 'user_id'>): AuditTarget {
  return { kind: 'api_key', id, label: { emailOf: user_id } };
}

function describeNewKey(existing: repository.ApiKeyRow | undefined, last: repository.ApiKeyRow | undefined): string {
  const save = 'Save this key now: it is shown only once.';
  if (existing) return 'This key replaces the old one, which is no longer valid. Save it now: it is shown only once.';
  if (last?.reported_at_ms == null) return save;
  return `Your key ${last.key_prefix}… was reported as leaked on ${toIso(last.reported_at_ms)} and revoked. ${save}`;
}

/** Returns true if the response contains the user's current key. */
async function isCurrent(executor: Executor, userId: string, response: ApiKeyResponse): Promise<boolean> {
  if (!('api_key' in response)) return false;
  const current = await repository.findCurrentApiKey(executor, userId);
  return current?.key_hash === hashApiKey(response.api_key);
}

function retrieve(existing: repository.ApiKeyRow, access: ApiAccess, nowMs: number): ApiKeyResponse {
  if (access.problem && !isGrandfathered(existing, nowMs)) throw new ApiError(access.problem);
  const message = 'This is the beginning of your key. The whole key was shown only when it was generated.';
  return { api_key_prefix: existing.key_prefix, ...describeKey(existing, access.plan), message };
}

function describeKey(row: repository.ApiKeyRow, plan: string) {
  return {
    is_legacy: row.is_legacy === 1,
    plan,
    features: { api_access: true },
    created_at: toIso(row.created_at_ms),
  };
}

function describeStatus(row: repository.ApiKeyRow): NonNullable<ApiKeyStatusResponse['key']> {
  return {
    api_key_prefix: row.key_prefix,
    is_legacy: row.is_legacy === 1,
    created_at: toIso(row.created_at_ms),
    revoked_at: toIsoOrNull(row.revoked_at_ms),
    reported_at: toIsoOrNull(row.reported_at_ms),
  };
}
