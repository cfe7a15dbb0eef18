/** Tokens in links that are mailed: each is for one purpose, one use and a limited time. */
import { minuteMs } from '../clock.ts';
import type { CommonDeps } from '../common-deps.ts';
import type { Transaction } from '../database/database.ts';
import { lockUser } from '../database/row-locks.ts';
import { hashSecretToken, newSecretToken } from '../secret-token.ts';
import * as repository from './mail-token.repository.ts';

export type MailTokenPurpose = repository.MailTokenRow['purpose'];

export type MailTokenServiceDeps = Pick<CommonDeps, 'database' | 'clock' | 'random'>;

/** What a token was made for. */
export type MailToken = {
  readonly userId: string;
  readonly purpose: MailTokenPurpose;
  /** Where it was sent to. */
  readonly email: string;
};

const ttlMs: Record<MailTokenPurpose, number> = {
  reset_password: 30 * minuteMs,
  set_password: 7 * 24 * 60 * minuteMs,
  confirm_email: 24 * 60 * minuteMs,
  change_email: 24 * 60 * minuteMs,
};
/** How many unused links of one purpose an account may have; beyond that no mail is sent, so that nobody can flood a mailbox. */
const maxTokens = 3;
const deletedAtOnce = 100;

export class MailTokenService {
  readonly #deps: MailTokenServiceDeps;

  constructor(deps: MailTokenServiceDeps) {
    this.#deps = deps;
  }

  /** A new token, of which only the hash is stored; `undefined` if the account has enough of this purpose. */
  async create(transaction: Transaction, { userId, purpose, email }: MailToken): Promise<string | undefined> {
    const nowMs = this.#deps.clock.now();
    await lockUser(transaction, userId);
    if ((await repository.countMailTokens(transaction, { userId, purpose, nowMs })) >= maxTokens) return undefined;
    return this.#insert(transaction, { userId, purpose, email });
  }

  /** Within a write that has locked the account: a new token in place of all others of this purpose. */
  async replace(transaction: Transaction, wanted: MailToken): Promise<string> {
    await repository.deleteMailTokensOfPurpose(transaction, wanted);
    return this.#insert(transaction, wanted);
  }

  async #insert(transaction: Transaction, { userId, purpose, email }: MailToken): Promise<string> {
    const { clock, random } = this.#deps;
    const nowMs = clock.now();
    await repository.deleteExpiredMailTokens(transaction, nowMs, deletedAtOnce);
    const token = newSecretToken(random);
    await repository.insertMailToken(transaction, {
      token_hash: hashSecretToken(token),
      user_id: userId,
      purpose,
      email,
      created_at_ms: nowMs,
      expires_at_ms: nowMs + ttlMs[purpose],
    });
    return token;
  }

  /** What the token was made for; `undefined` if it is unknown, used, void or expired, or has another purpose. */
  async find(token: string, purposes: readonly MailTokenPurpose[]): Promise<MailToken | undefined> {
    const { database, clock } = this.#deps;
    const row = await repository.findMailToken(database.read, hashSecretToken(token));
    if (!row || row.expires_at_ms <= clock.now() || !purposes.includes(row.purpose)) return undefined;
    return { userId: row.user_id, purpose: row.purpose, email: row.email };
  }

  /** Within the write that the token permits, after the account is locked: false if it was used meanwhile. */
  use(transaction: Transaction, token: string): Promise<boolean> {
    return repository.deleteMailToken(transaction, hashSecretToken(token), this.#deps.clock.now());
  }
}
