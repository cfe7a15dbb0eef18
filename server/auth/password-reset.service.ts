/** Sets a password for somebody who has a link: one that was mailed, or an invitation. */

import type { AccountService } from '../accounts/account.service.ts';
import type { RevokeApiKey } from '../accounts/account.ts';
import { requireEmail } from '../accounts/email.ts';
import { invalidLink, type MailTokenService } from '../accounts/mail-token.service.ts';
import type { PasswordService } from '../accounts/password.service.ts';
import { byUser } from '../audit/audit-event.ts';
import type { CommonDeps } from '../common-deps.ts';
import type { Transaction } from '../database/database.ts';
import { lockByName, lockUser } from '../database/row-locks.ts';
import type { MailQueueService } from '../mail/mail-queue.service.ts';
import { networkPrefix } from '../network-address.ts';
import type { EmailConfirmationService } from './email-confirmation.service.ts';
import type { Client } from './signed-in-user.ts';

type PasswordResetServiceDeps = CommonDeps & {
  readonly accounts: Pick<AccountService, 'get'>;
  readonly passwords: PasswordService;
  readonly mailTokens: MailTokenService;
  readonly mailQueue: MailQueueService;
  /** Lists the names of the passkeys with which the account opens the admin page. */
  readonly listPasskeyNames: (transaction: Transaction, userId: string) => Promise<string[]>;
  readonly emailConfirmation: EmailConfirmationService;
  readonly revokeApiKey: RevokeApiKey;
};

export class PasswordResetService {
  readonly #deps: PasswordResetServiceDeps;

  constructor(deps: PasswordResetServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Mails a link if the account exists. The account is looked up only when the mail is sent, so that neither the
   * response nor its timing reveals whether it exists. Throws `ApiError` NOT_FOUND without a mail server,
   * VALIDATION_ERROR, SERVICE_UNAVAILABLE.
   */
  async request(text: string, { address, language }: Client): Promise<void> {
    const { database, mailQueue } = this.#deps;
    mailQueue.requireOn();
    const email = requireEmail(text);
    await mailQueue.requireRoom('reset_password');
    await database.write((transaction) =>
      mailQueue.add(transaction, { kind: 'reset_password', email: email.address, language, address }),
    );
  }

  /**
   * Sets the password and ends every session. If the password is rejected, the token remains usable. Works without a
   * mail server too, because an invitation need not be mailed. Throws `ApiError` INVALID_TOKEN, VALIDATION_ERROR.
   */
  async reset(token: string, password: string, { address, language }: Client): Promise<void> {
    const { database, accounts, passwords, mailTokens, mailQueue } = this.#deps;
    const { emailConfirmation, listPasskeyNames, revokeApiKey } = this.#deps;
    const found = await mailTokens.find(token, ['reset_password', 'set_password']);
    if (!found) throw invalidLink();
    const { userId, email, purpose } = found;
    const turn = { group: networkPrefix(address), isPreferred: true };
    const prepared = await passwords.prepare({ id: userId, email }, password, turn);
    await database.write(async (transaction) => {
      // Locked before the account, in the same order as for billing events, because the confirmation also applies
      // waiting events.
      await lockByName(transaction, 'billing');
      await lockUser(transaction, userId);
      if (!(await mailTokens.use(transaction, token))) throw invalidLink();
      const { email: current, hasPassword, passwordSetBy } = await accounts.get(userId, transaction);
      // A change of the address voids earlier links, but one may have been on its way to the old address.
      if (current !== email) throw invalidLink();
      // The member of staff who made an invitation has seen its link, and may be the one who uses it.
      const setBy = purpose === 'set_password' ? passwordSetBy : undefined;
      const by = byUser(userId, address);
      const exposed = await passwords.apply(transaction, { ...prepared, setBy }, by);
      // The old password, and so the API key, may have been those of somebody else who signed up with the address.
      // Without a password, nobody could have created a key.
      const isFirst = await emailConfirmation.record(transaction, userId, by);
      const revoked = exposed ?? (hasPassword && isFirst ? await revokeApiKey(transaction, userId, { by }) : undefined);
      const passkeys = await listPasskeyNames(transaction, userId);
      const key = revoked && { key_prefix: revoked.api_key_prefix };
      await mailQueue.add(transaction, { kind: 'password_changed', email, language, passkeys, ...key });
    });
  }
}
