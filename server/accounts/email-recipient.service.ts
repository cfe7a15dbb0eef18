/** The accounts that staff mean by an email address, and whether what is for its reader may be given to them. */
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

  /** By the email as it is given; those without an account are missing. */
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
