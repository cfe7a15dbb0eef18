/**
 * Finds accounts by the email addresses that staff enter, and decides whether an account may receive what is meant for
 * the person who reads the mail of that address.
 */
import { parseEmail } from '../../shared/formats/email.ts';
import type { Config } from '../config.ts';
import type { Executor } from '../database/database.ts';
import { findUsersByEmailKeys } from './account.repository.ts';
import { type Account, toAccount } from './account.ts';
import { mayReceiveByEmail } from './email-recipient.rules.ts';

export type EmailRecipient = {
  readonly userId: string;
  /** See `mayReceiveByEmail`. */
  readonly mayReceive: boolean;
};

export class EmailRecipientService {
  readonly #sendsMail: boolean;

  constructor({ config }: { readonly config: Pick<Config, 'mail'> }) {
    this.#sendsMail = config.mail !== undefined;
  }

  mayReceive(account: Account): boolean {
    return mayReceiveByEmail(account, { sendsMail: this.#sendsMail });
  }

  /** Returns the recipients by email as passed; emails without an account are missing. */
  async find(executor: Executor, emails: readonly string[]): Promise<ReadonlyMap<string, EmailRecipient>> {
    const keys = emails.map((email) => parseEmail(email)?.key ?? '');
    const rows = await findUsersByEmailKeys(executor, keys);
    const byKey = new Map(rows.map((row) => [row.email_key, toAccount(row)]));
    const found = new Map<string, EmailRecipient>();
    for (const [index, email] of emails.entries()) {
      const account = byKey.get(keys[index] ?? '');
      if (account) found.set(email, { userId: account.id, mayReceive: this.mayReceive(account) });
    }
    return found;
  }
}
