/** The queue of mails to send. A mail is stored in the same write as the change it is about, and sent by a job. */
import { hash } from 'node:crypto';
import type { CommonDeps } from '../common-deps.ts';
import type { Executor, Transaction } from '../database/database.ts';
import { ApiError } from '../errors.ts';
import { rateLimitAddress } from '../network-address.ts';
import { newUuid } from '../random.ts';
import { SecretBox } from '../secrets/secret-box.ts';
import { saveMailFailure } from '../waiting-mails.ts';
import * as repository from './mail.repository.ts';
import { decideFirstTryAt, decideGiveUpAt, describeFailure, retryDelay, type SendFailure } from './mail.rules.ts';
import { type Mail, mail as mailSchema } from './mail.ts';

type MailQueueServiceDeps = Pick<CommonDeps, 'config' | 'database' | 'secrets' | 'clock' | 'random'>;

/** A mail reserved for this process to send. */
export type ClaimedMail = {
  readonly id: string;
  /** `undefined` if it was encrypted under another master key. */
  readonly mail: Mail | undefined;
  readonly tries: number;
  readonly isTooLate: boolean;
};

/**
 * Kinds of mail that a stranger can request, with or without an account created for that. The number of
 * waiting mails of each kind is limited, so that while the mail server accepts none the queue stays bounded
 * and no kind blocks the others.
 */
const limitedKinds: readonly Mail['kind'][] = ['reset_password', 'confirm_email', 'change_email'];
const maxQueued = 10_000;
const retryAfterSeconds = 60;

export class MailQueueService {
  readonly #deps: MailQueueServiceDeps;
  readonly #box: SecretBox;

  constructor(deps: MailQueueServiceDeps) {
    this.#deps = deps;
    this.#box = new SecretBox(deps.secrets, 'mail queue');
  }

  /** True if a mail server is configured. */
  get isOn(): boolean {
    return this.#deps.config.mail !== undefined;
  }

  /** Throws `ApiError` NOT_FOUND if no mail server is configured. */
  requireOn(): void {
    if (!this.isOn) throw new ApiError('NOT_FOUND', 'This server sends no mail.');
  }

  /**
   * Like `requireOn`, for mails that an admin requests. Throws `ApiError` VALIDATION_ERROR
   * if no mail server is configured.
   */
  requireAvailable(): void {
    if (!this.isOn) throw new ApiError('VALIDATION_ERROR', 'The server sends no mail: set LATCHKEY_SMTP_URL.');
  }

  /**
   * For mails that strangers can request. Throws `ApiError` SERVICE_UNAVAILABLE while too many of the kind are waiting.
   */
  async requireRoom(kind: Mail['kind']): Promise<void> {
    if (await hasRoom(this.#deps.database.read, kind)) return;
    throw new ApiError('SERVICE_UNAVAILABLE', undefined, retryAfterSeconds);
  }

  /**
   * Adds a mail to the queue. Does nothing if no mail server is configured, if the same mail is waiting (see
   * `dedupeKeyOf`), or if too many are waiting of a kind that strangers can request.
   */
  async add(transaction: Transaction, mail: Mail): Promise<void> {
    if (!this.isOn || !(await hasRoom(transaction, mail.kind))) return;
    const { clock, random } = this.#deps;
    const nowMs = clock.now();
    const id = newUuid(nowMs, random);
    const dedupeKey = dedupeKeyOf(mail);
    await repository.insertMail(transaction, {
      id,
      kind: mail.kind,
      encrypted_mail: this.#box.encrypt(Buffer.from(JSON.stringify(mail)), id, random),
      dedupe_key: dedupeKey === null ? null : hash('sha256', dedupeKey),
      created_at_ms: nowMs,
      next_try_at_ms: decideFirstTryAt(nowMs),
      give_up_at_ms: decideGiveUpAt(mail, nowMs),
      tries: 0,
    });
  }

  /** Reserves due mails for `claimMs`; after that, another process may take those that are still there. */
  async claim(limit: number, claimMs: number): Promise<ClaimedMail[]> {
    const { database, clock } = this.#deps;
    const nowMs = clock.now();
    if (!(await repository.isMailDue(database.read, nowMs))) return [];
    const claim = { nowMs, untilMs: nowMs + claimMs, limit };
    const rows = await database.write((transaction) => repository.claimMails(transaction, claim));
    return rows.map((row) => ({
      id: row.id,
      mail: this.#open(row),
      tries: row.tries,
      isTooLate: nowMs >= row.give_up_at_ms,
    }));
  }

  /** Removes a mail that was sent or will never be. */
  async remove(id: string): Promise<void> {
    await this.#deps.database.write((transaction) => repository.deleteMail(transaction, id));
  }

  /** Schedules the next attempt for a mail that could not be sent after this many tries, and records the failure. */
  async retryLater(id: string, tries: number, failure: SendFailure): Promise<void> {
    const { database, clock } = this.#deps;
    const nowMs = clock.now();
    await database.write(async (transaction) => {
      await repository.postponeMail(transaction, id, nowMs + retryDelay(tries));
      await saveMailFailure(transaction, { at_ms: nowMs, failure: describeFailure(failure) });
    });
  }

  #open({ id, encrypted_mail }: repository.MailRow): Mail | undefined {
    try {
      return mailSchema.parse(JSON.parse(this.#box.decrypt(encrypted_mail, id).toString()));
    } catch {
      return undefined;
    }
  }
}

async function hasRoom(executor: Executor, kind: Mail['kind']): Promise<boolean> {
  return !limitedKinds.includes(kind) || (await repository.countMails(executor, kind, maxQueued)) < maxQueued;
}

/**
 * Returns a key that is the same for mails of which only one at a time may wait; null for a mail that is always sent,
 * since two licenses, purchases, replaced keys and so on are two separate mails. Password reset requests are
 * distinguished by network: a request by a stranger must not block one by the owner, who has other limits. Links to
 * confirm an address are distinguished by what makes them void: a void one must not block another. A notice of a new
 * password is distinguished by the API key that was revoked with it.
 */
function dedupeKeyOf(mail: Mail): string | null {
  const key = `${mail.kind} ${mail.email.toLowerCase()}`;
  switch (mail.kind) {
    case 'reset_password':
      return `${key} ${rateLimitAddress(mail.address)}`;
    case 'confirm_email':
      return `${key} ${mail.user_id}`;
    case 'change_email':
      return `${key} ${mail.user_id} ${mail.password_changed_at_ms}`;
    case 'password_changed':
      return `${key} ${mail.key_prefix ?? ''}`;
    case 'account_deleted':
    case 'email_change_requested':
    case 'email_changed':
      return key;
    case 'license':
    case 'license_key_replaced':
    case 'purchase':
    case 'invitation':
    case 'api_key_reported':
    case 'reminder':
    case 'staff_changed':
      return null;
  }
}
