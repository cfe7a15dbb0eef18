/** Responses to requests with an Idempotency-Key, stored encrypted for 10 minutes so that they can be repeated. */
import { createHmac } from 'node:crypto';
import type { CommonDeps } from '../common-deps.ts';
import type { Transaction } from '../database/database.ts';
import { decrypt, deriveKey, encrypt } from '../encryption.ts';
import { ApiError } from '../errors.ts';
import * as repository from './idempotent-response.repository.ts';

/** The pepper in the secrets makes a guessable Idempotency-Key useless without the server. */
type IdempotentResponseServiceDeps = Pick<CommonDeps, 'secrets' | 'clock' | 'random'>;

export type IdempotentRequest = {
  readonly userId: string;
  /** What is requested: the name of the endpoint and the parsed body. */
  readonly content: string;
  readonly idempotencyKey: string;
};

const lifetimeMs = 10 * 60 * 1000;
/** Must never change: saved responses are found with one and encrypted under the other. */
const lookUpPurpose = 'idempotent response look-up';
const encryptionPurpose = 'idempotent response encryption';

export class IdempotentResponseService {
  readonly #deps: IdempotentResponseServiceDeps;

  constructor(deps: IdempotentResponseServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Returns what `create` returned for the same request before. Otherwise calls it, and saves what it returns within
   * the same transaction; a failure is not saved, nor is anything without a request. Throws `ApiError` VALIDATION_ERROR
   * as `find` does, and INVALID_TOKEN if the account of the request has just been deleted.
   */
  async once<T>(
    transaction: Transaction,
    request: IdempotentRequest | undefined,
    create: () => Promise<T>,
  ): Promise<T> {
    if (!request) return create();
    if (!(await repository.lockAndFindUser(transaction, request.userId))) throw new ApiError('INVALID_TOKEN');
    const saved = await this.find<T>(transaction, request);
    if (saved !== undefined) return saved;
    const created = await create();
    await this.save(transaction, request, created);
    return created;
  }

  /**
   * Returns the saved response, if any. Throws `ApiError` VALIDATION_ERROR if the same Idempotency-Key was sent with
   * another request.
   */
  async find<T>(transaction: Transaction, request: IdempotentRequest): Promise<T | undefined> {
    const { userId, content } = request;
    const { secrets, clock } = this.#deps;
    const { hash, key } = deriveKeys(secrets.pepper, request);
    const row = await repository.findIdempotentResponse(
      transaction,
      { user_id: userId, idempotency_key_hash: hash },
      clock.now(),
    );
    if (!row) return undefined;
    const saved: { content: string; response: T } = JSON.parse(decrypt(key, row.encrypted_response, userId).toString());
    if (saved.content === content) return saved.response;
    throw new ApiError('VALIDATION_ERROR', 'This Idempotency-Key was sent with another request: use a new one.');
  }

  /**
   * Saves the response, replacing one for the same request. Also deletes the user's expired responses; the retention
   * job deletes those of other users.
   */
  async save(transaction: Transaction, request: IdempotentRequest, response: unknown): Promise<void> {
    const { clock, random, secrets } = this.#deps;
    const { userId, content } = request;
    const { hash, key } = deriveKeys(secrets.pepper, request);
    const nowMs = clock.now();
    await repository.deleteExpiredResponses(transaction, userId, nowMs);
    await repository.putIdempotentResponse(transaction, {
      user_id: userId,
      idempotency_key_hash: hash,
      encrypted_response: encrypt(key, Buffer.from(JSON.stringify({ content, response })), userId, random),
      expires_at_ms: nowMs + lifetimeMs,
    });
  }
}

function deriveKeys(pepper: Buffer, { userId, idempotencyKey }: IdempotentRequest) {
  const secret = createHmac('sha256', pepper).update(`${userId} ${idempotencyKey}`).digest();
  return { hash: deriveKey(secret, lookUpPurpose).toString('hex'), key: deriveKey(secret, encryptionPurpose) };
}
