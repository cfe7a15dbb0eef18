/** Exports everything that the server stores about an account, for its user. */
import type { AccountExport } from '../../shared/api/account-export.ts';
import type { AccountService } from '../accounts/account.service.ts';
import type { ApiKeyAdminService } from '../api-keys/api-key-admin.service.ts';
import type { EntryRow } from '../audit/audit-chain.rules.ts';
import { type AuditContext, accountTarget } from '../audit/audit-event.ts';
import type { AuditQuery } from '../audit/audit-list.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import type { SessionService } from '../auth/session.service.ts';
import type { SignedInUser } from '../auth/signed-in-user.ts';
import { toIso, toIsoOrNull } from '../clock.ts';
import type { List, PageRequest } from '../database/list.ts';
import { lockUser } from '../database/row-locks.ts';
import type { LicenseAdminService } from '../licenses/license-admin.service.ts';
import type { SubscriptionService } from '../subscriptions/subscription.service.ts';

type AccountExportServiceDeps = AuditedDeps & {
  readonly accounts: AccountService;
  readonly subscriptions: SubscriptionService;
  readonly licenseAdmin: LicenseAdminService;
  readonly apiKeyAdmin: ApiKeyAdminService;
  readonly sessions: SessionService;
  readonly auditRows: List<AuditQuery, EntryRow>;
};

/** The audit log has no index by account, so it is searched only as far back as these pages reach. */
const pageEntries = 100;
const maxPages = 5;

export class AccountExportService {
  readonly #deps: AccountExportServiceDeps;

  constructor(deps: AccountExportServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the export, without secrets or data about other people, and records that it was made. Throws `ApiError`
   * INVALID_TOKEN if the account is deleted meanwhile.
   */
  async export(user: SignedInUser, by: AuditContext): Promise<AccountExport> {
    const { database, auditLog, accounts } = this.#deps;
    const exported = await this.#read(user);
    const event = { ...by, action: 'account.export', target: accountTarget(user.id) } as const;
    await database.write(async (transaction) => {
      // What was read after a deletion lacks what belonged to the account.
      await lockUser(transaction, user.id);
      await accounts.getSignedIn(user.id, transaction);
      await auditLog.record(transaction, event);
    });
    return exported;
  }

  async #read(user: SignedInUser): Promise<AccountExport> {
    const { clock, accounts, subscriptions, licenseAdmin, apiKeyAdmin, sessions } = this.#deps;
    const account = await accounts.getSignedIn(user.id);
    const { emailConfirmedAtMs } = account;
    return {
      exported_at: toIso(clock.now()),
      account: {
        id: account.id,
        email: account.email,
        full_name: account.full_name,
        created_at: toIso(account.createdAtMs),
        password_changed_at: toIso(account.passwordChangedAtMs),
        email_confirmed_at: toIsoOrNull(emailConfirmedAtMs),
      },
      subscription: (await subscriptions.get(user.id)) ?? null,
      other_subscriptions: await subscriptions.listOthers(user.id),
      licenses: await licenseAdmin.list(user.id),
      api_key: (await apiKeyAdmin.get(user.id)) ?? null,
      sessions: await sessions.list(user),
      activity: (await this.#listActivity(user.id)).map(withoutOthers),
    };
  }

  async #listActivity(userId: string): Promise<EntryRow[]> {
    const entries: EntryRow[] = [];
    let after: string | null | undefined;
    for (let pages = 0; pages < maxPages && after !== null; pages++) {
      const request: PageRequest = { limit: pageEntries, after };
      const page = await this.#deps.auditRows.readPage({ target: userId }, request);
      entries.push(...page.rows);
      after = page.next;
    }
    return entries;
  }
}

/** Leaves out who others are and where they were. The user may have had another email at the time. */
function withoutOthers({ id, at_ms, actor_kind, actor, action, address }: EntryRow) {
  const entry = { id, at: toIso(at_ms), action };
  if (actor_kind === 'user') return { ...entry, actor, address };
  return { ...entry, actor: actor_kind === 'staff' ? actor_kind : actor || actor_kind, address: null };
}
