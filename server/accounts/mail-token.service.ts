/** Tokens of mailed links, each for one purpose, one use and a limited time. */
import { minuteMs } from '../clock.ts';
import type { CommonDeps } from '../common-deps.ts';
import type { Executor, Transaction } from '../database/database.ts';
import { lockUser } from '../database/row-locks.ts';
import { ApiError } from '../errors.ts';
import { hashSecretToken, newSecretToken } from '../secret-token.ts';
import * as repository from './mail-token.repository.ts';

type MailTokenPurpose = repository.MailTokenRow['purpose'];

type MailTokenServiceDeps = Pick<CommonDeps, 'database' | 'clock' | 'random'>;

/** What a token was issued for. */
export type MailToken = {
  readonly userId: string;
  readonly purpose: MailTokenPurpose;
  /** The address it was sent to. */
  readonly email: string;
};

/** Returns the error for a token that is unknown, used, void or expired. */
export function invalidLink(): ApiError {
  return new ApiError('INVALID_TOKEN', 'This link is not valid any more. Request a new one.');
}

const ttlMs: Record<MailTokenPurpose, number> = {
  reset_password: 30 * minuteMs,
  set_password: 7 * 24 * 60 * minuteMs,
  confirm_email: 24 * 60 * minuteMs,
  change_email: 24 * 60 * minuteMs,
};
/**
 * Maximum number of unused links per account and purpose. Beyond it no mail is sent, so that nobody can flood a
 * mailbox.
 */
const maxTokens = 3;
const deletedAtOnce = 100;

export class MailTokenService {
  readonly #deps: MailTokenServiceDeps;

  constructor(deps: MailTokenServiceDeps) {
    this.#deps = deps;
  }

  /** Creates a token and stores only its hash; returns `undefined` if the account has the maximum for this purpose. */
  async create(transaction: Transaction, { userId, purpose, email }: MailToken): Promise<string | undefined> {
    const nowMs = this.#deps.clock.now();
    await lockUser(transaction, userId);
    if ((await repository.countMailTokens(transaction, { userId, purpose, nowMs })) >= maxTokens) return undefined;
    return this.#insert(transaction, { userId, purpose, email });
  }

  /**
   * Replaces all other tokens of this purpose with a new one. The write must have locked the account. `createdBy` is
   * the member of staff who sees the link, see `PasswordService.voidInvitationsBy`.
   */
  async replace(transaction: Transaction, wanted: MailToken, createdBy: string | null): Promise<string> {
    await repository.deleteMailTokensOfPurpose(transaction, wanted);
    return this.#insert(transaction, wanted, createdBy);
  }

  async #insert(
    transaction: Transaction,
    { userId, purpose, email }: MailToken,
    createdBy: string | null = null,
  ): Promise<string> {
    const { clock, random } = this.#deps;
    const nowMs = clock.now();
    await repository.deleteExpiredMailTokens(transaction, nowMs, deletedAtOnce);
    const token = newSecretToken(random);
    await repository.insertMailToken(transaction, {
      token_hash: hashSecretToken(token),
      user_id: userId,
      purpose,
      email,
      created_by: createdBy,
      created_at_ms: nowMs,
      expires_at_ms: nowMs + ttlMs[purpose],
    });
    return token;
  }

  /**
   * Returns what the token was issued for; `undefined` if it is unknown, used, void, expired or for another purpose.
   */
  async find(
    token: string,
    purposes: readonly MailTokenPurpose[],
    executor: Executor = this.#deps.database.read,
  ): Promise<MailToken | undefined> {
    const row = await repository.findMailToken(executor, hashSecretToken(token));
    if (!row || row.expires_at_ms <= this.#deps.clock.now() || !purposes.includes(row.purpose)) return undefined;
    return { userId: row.user_id, purpose: row.purpose, email: row.email };
  }

  /**
   * Uses up the token in the write that it permits, after the account was locked. Returns false if it was used in the
   * meantime.
   */
  use(transaction: Transaction, token: string): Promise<boolean> {
    return repository.deleteMailToken(transaction, hashSecretToken(token), this.#deps.clock.now());
  }
}
