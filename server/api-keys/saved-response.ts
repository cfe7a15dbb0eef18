/** Responses of `POST /metrics/api-key` by their Idempotency-Key: saved encrypted, for 10 minutes. */
import { createHmac } from 'node:crypto';
import { type ApiKeyResponse, apiKeyResponse } from '../../shared/api/api-key.ts';
import type { Transaction } from '../database/database.ts';
import { decrypt, deriveKey, encrypt } from '../encryption.ts';
import { ApiError } from '../errors.ts';
import type { Random } from '../random.ts';

/** A request with an Idempotency-Key, and the secret that makes a guessable one useless without the server. */
export type IdempotentRequest = {
  readonly userId: string;
  readonly regenerate: boolean;
  readonly idempotencyKey: string;
  readonly pepper: Uint8Array;
  readonly nowMs: number;
};

const lifetimeMs = 10 * 60 * 1000;
/** Never change them: saved responses are found by one and encrypted under the other. */
const lookUpPurpose = 'api key response look-up';
const encryptionPurpose = 'api key response encryption';

/** Throws `ApiError` VALIDATION_ERROR where the same Idempotency-Key was sent with another `regenerate`. */
export async function findSavedResponse(
  transaction: Transaction,
  request: IdempotentRequest,
): Promise<ApiKeyResponse | undefined> {
  const { hash, key } = deriveKeys(request);
  const row = await transaction
    .selectFrom('api_key_responses')
    .select(['regenerate', 'sealed_response'])
    .where('user_id', '=', request.userId)
    .where('retry_key_hash', '=', hash)
    .where('expires_at_ms', '>', request.nowMs)
    .executeTakeFirst();
  if (!row) return undefined;
  if ((row.regenerate === 1) !== request.regenerate) {
    throw new ApiError('VALIDATION_ERROR', 'This Idempotency-Key was sent with another body: use a new one.');
  }
  return apiKeyResponse.parse(JSON.parse(decrypt(key, row.sealed_response, request.userId).toString()));
}

/** Also deletes what has expired of this user; the retention job deletes the rest. */
export async function saveResponse(
  transaction: Transaction,
  request: IdempotentRequest,
  { response, random }: { readonly response: ApiKeyResponse; readonly random: Random },
): Promise<void> {
  const { userId, regenerate, nowMs } = request;
  const { hash, key } = deriveKeys(request);
  await transaction
    .deleteFrom('api_key_responses')
    .where('user_id', '=', userId)
    .where('expires_at_ms', '<=', nowMs)
    .execute();
  const row = {
    user_id: userId,
    retry_key_hash: hash,
    regenerate: regenerate ? 1 : 0,
    sealed_response: encrypt(key, Buffer.from(JSON.stringify(response)), userId, random),
    expires_at_ms: nowMs + lifetimeMs,
  } as const;
  await transaction.insertInto('api_key_responses').values(row).execute();
}

function deriveKeys({ pepper, userId, idempotencyKey }: IdempotentRequest): { hash: string; key: Buffer } {
  const secret = createHmac('sha256', pepper).update(`${userId} ${idempotencyKey}`).digest();
  return { hash: deriveKey(secret, lookUpPurpose).toString('hex'), key: deriveKey(secret, encryptionPurpose) };
}
