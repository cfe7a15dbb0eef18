/** Deletes the account of a signed-in user. */
import type { AccountService } from '../accounts/account.service.ts';
import type { PasswordService } from '../accounts/password.service.ts';
import { byUser } from '../audit/audit-event.ts';
import type { CommonDeps } from '../common-deps.ts';
import { lockByName } from '../database/row-locks.ts';
import type { MailQueueService } from '../mail/mail-queue.service.ts';
import type { Reauthentication } from './reauthentication.ts';
import type { Client, SignedInUser } from './signed-in-user.ts';

type AccountDeletionServiceDeps = CommonDeps & {
  readonly accounts: AccountService;
  readonly passwords: PasswordService;
  readonly reauthentication: Reauthentication;
  readonly mailQueue: MailQueueService;
};

export class AccountDeletionService {
  readonly #deps: AccountDeletionServiceDeps;

  constructor(deps: AccountDeletionServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Deletes the account with everything that belongs to it: sessions, subscription, licenses and their devices, API
   * keys. Throws `ApiError` INVALID_CREDENTIALS or RATE_LIMITED, and CONFLICT for the last owner among the staff.
   */
  async remove({ id: userId }: SignedInUser, password: string, { address, language }: Client): Promise<void> {
    const { database, accounts, passwords, reauthentication, mailQueue } = this.#deps;
    const login = await reauthentication.verify({ userId, password, address });
    const by = byUser(userId, address);
    await accounts.clearHistory(userId, by);
    await database.write(async (transaction) => {
      // The deletion needs these locks. Taken before the account is locked, which prevents a deadlock.
      await lockByName(transaction, 'staff');
      await lockByName(transaction, 'billing');
      await passwords.confirmLogin(transaction, login);
      const { emailConfirmedAtMs } = await accounts.get(userId, transaction);
      await mailQueue.add(transaction, {
        kind: 'account_deleted',
        email: login.user.email,
        language,
        was_confirmed: emailConfirmedAtMs !== undefined,
      });
      await accounts.removeWithin(transaction, userId, by);
    });
  }
}
