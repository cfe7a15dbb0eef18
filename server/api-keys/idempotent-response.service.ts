/** Responses of `POST /metrics/api-key` by Idempotency-Key, stored encrypted for 10 minutes. */
import { createHmac } from 'node:crypto';
import { type ApiKeyResponse, apiKeyResponse } from '../../shared/api/api-key.ts';
import type { CommonDeps } from '../common-deps.ts';
import type { Transaction } from '../database/database.ts';
import { decrypt, deriveKey, encrypt } from '../encryption.ts';
import { ApiError } from '../errors.ts';
import * as repository from './idempotent-response.repository.ts';

/** The pepper in the secrets makes a guessable Idempotency-Key useless without the server. */
export type IdempotentResponseServiceDeps = Pick<CommonDeps, 'secrets' | 'clock' | 'random'>;

export type IdempotentRequest = {
  readonly userId: string;
  readonly regenerate: boolean;
  readonly idempotencyKey: string;
};

const lifetimeMs = 10 * 60 * 1000;
/** Must never change: saved responses are found with one and encrypted under the other. */
const lookUpPurpose = 'api key response look-up';
const encryptionPurpose = 'api key response encryption';

export class IdempotentResponseService {
  readonly #deps: IdempotentResponseServiceDeps;

  constructor(deps: IdempotentResponseServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the saved response, if any. Throws `ApiError` VALIDATION_ERROR if the same Idempotency-Key was sent with
   * another `regenerate`.
   */
  async find(transaction: Transaction, request: IdempotentRequest): Promise<ApiKeyResponse | undefined> {
    const { userId, regenerate } = request;
    const { secrets, clock } = this.#deps;
    const { hash, key } = deriveKeys(secrets.pepper, request);
    const row = await repository.findIdempotentResponse(
      transaction,
      { user_id: userId, idempotency_key_hash: hash },
      clock.now(),
    );
    if (!row) return undefined;
    if ((row.regenerate === 1) !== regenerate) {
      throw new ApiError('VALIDATION_ERROR', 'This Idempotency-Key was sent with another body: use a new one.');
    }
    return apiKeyResponse.parse(JSON.parse(decrypt(key, row.encrypted_response, userId).toString()));
  }

  /**
   * Saves the response, replacing one for the same request. Also deletes the user's expired responses; the retention
   * job deletes those of other users.
   */
  async save(transaction: Transaction, request: IdempotentRequest, response: ApiKeyResponse): Promise<void> {
    const { clock, random, secrets } = this.#deps;
    const { userId, regenerate } = request;
    const { hash, key } = deriveKeys(secrets.pepper, request);
    const nowMs = clock.now();
    await repository.deleteExpiredResponses(transaction, userId, nowMs);
    await repository.putIdempotentResponse(transaction, {
      user_id: userId,
      idempotency_key_hash: hash,
      regenerate: regenerate ? 1 : 0,
      encrypted_response: encrypt(key, Buffer.from(JSON.stringify(response)), userId, random),
      expires_at_ms: nowMs + lifetimeMs,
    });
  }
}

function deriveKeys(pepper: Buffer, { userId, idempotencyKey }: IdempotentRequest) {
  const secret = createHmac('sha256', pepper).update(`${userId} ${idempotencyKey}`).digest();
  return { hash: deriveKey(secret, lookUpPurpose).toString('hex'), key: deriveKey(secret, encryptionPurpose) };
}
