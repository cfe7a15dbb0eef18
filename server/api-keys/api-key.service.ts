/** The API key of an account: made, shown by its prefix, replaced. */
import type { ApiKeyResponse } from '../../shared/api/api-key.ts';
import { previewApiKey } from '../../shared/formats/api-key.ts';
import { rejectDeletedAccount } from '../accounts/account.service.ts';
import { type Clock, toIso } from '../clock.ts';
import type { Database, Executor, Transaction } from '../database/database.ts';
import { ApiError } from '../errors.ts';
import { freePlan, type PlanService } from '../plans/plan.service.ts';
import { newUuid, type Random } from '../random.ts';
import type { SubscriptionService } from '../subscriptions/subscription.service.ts';
import { type ApiKeyRow, findCurrentApiKey, insertApiKey, revokeCurrentApiKey } from './api-key.repository.ts';
import { type ApiAccessProblem, evaluateApiAccess, isGrandfathered } from './api-key.rules.ts';
import { hashApiKey, newApiKey } from './api-key-hash.ts';

export type ApiKeyService = {
  /**
   * The answer of `/metrics/api-key` (interface §4): a first key, the prefix of the existing one, or with `regenerate`
   * another key, whereupon the old one is invalid. Throws `ApiError` SUBSCRIPTION_INACTIVE or API_ACCESS_DISABLED.
   */
  generateOrRetrieve(userId: string, regenerate: boolean): Promise<ApiKeyResponse>;
};

export type ApiKeyParts = {
  database: Database;
  clock: Clock;
  random: Random;
  plans: PlanService;
  subscriptions: SubscriptionService;
};

export function createApiKeyService(parts: ApiKeyParts): ApiKeyService {
  const { database, clock } = parts;
  return {
    async generateOrRetrieve(userId, regenerate) {
      const existing = regenerate ? undefined : await findCurrentApiKey(database.read, userId);
      if (existing) return retrieve(existing, await readAccess(parts, database.read, userId), clock.now());
      const written = database.write((transaction) => generate(parts, transaction, userId, regenerate));
      return written.catch(rejectDeletedAccount);
    },
  };
}

async function generate(
  parts: ApiKeyParts,
  transaction: Transaction,
  userId: string,
  regenerate: boolean,
): Promise<ApiKeyResponse> {
  const nowMs = parts.clock.now();
  const access = await readAccess(parts, transaction, userId);
  const existing = await findCurrentApiKey(transaction, userId);
  if (existing && !regenerate) return retrieve(existing, access, nowMs);
  if (access.refusal) throw new ApiError(access.refusal);
  const apiKey = newApiKey(parts.random);
  const row = newApiKeyRow(parts, { userId, keyHash: hashApiKey(apiKey), prefix: previewApiKey(apiKey) });
  await revokeCurrentApiKey(transaction, userId, nowMs);
  await insertApiKey(transaction, row);
  const message = existing
    ? 'This key replaces the old one, which is invalid from now on. Keep it: it is shown only this once.'
    : 'Keep this key: it is shown only this once.';
  return { api_key: apiKey, ...describeKey(row, access.plan), message };
}

/** The row of a key that becomes the current one of an account now. */
export function newApiKeyRow(
  { clock, random }: Pick<ApiKeyParts, 'clock' | 'random'>,
  key: { userId: string; keyHash: string; prefix: string; legacyExpiresAtMs?: number },
): ApiKeyRow {
  const nowMs = clock.now();
  return {
    id: newUuid(nowMs, random),
    user_id: key.userId,
    key_hash: key.keyHash,
    key_prefix: key.prefix,
    is_legacy: key.legacyExpiresAtMs === undefined ? 0 : 1,
    legacy_expires_at_ms: key.legacyExpiresAtMs ?? null,
    created_at_ms: nowMs,
    revoked_at_ms: null,
  };
}

type Access = { readonly plan: string; readonly refusal: ApiAccessProblem | undefined };

async function readAccess({ plans, subscriptions }: ApiKeyParts, executor: Executor, userId: string): Promise<Access> {
  const standing = await subscriptions.standing(userId, executor);
  if (!standing) return { plan: freePlan, refusal: evaluateApiAccess({ subscription: undefined }) };
  const { plan } = standing.subscription;
  const { api_access } = await plans.featuresOf(plan, executor);
  const subscription = { givesAccess: standing.givesAccess, planHasApiAccess: api_access };
  return { plan, refusal: evaluateApiAccess({ subscription }) };
}

function retrieve(existing: ApiKeyRow, access: Access, nowMs: number): ApiKeyResponse {
  if (access.refusal && !isGrandfathered(existing, nowMs)) throw new ApiError(access.refusal);
  const message = 'This is the beginning of your key; the whole key was shown when it was made.';
  return { api_key_prefix: existing.key_prefix, ...describeKey(existing, access.plan), message };
}

function describeKey(row: ApiKeyRow, plan: string) {
  return {
    is_legacy: row.is_legacy === 1,
    plan,
    features: { api_access: true },
    created_at: toIso(row.created_at_ms),
  };
}
