/** An account with everything that belongs to it, as staff see it. */
import type { z } from 'zod';
import type { accountRecord } from '../../shared/api/admin/accounts.ts';
import type { ListedLicense } from '../../shared/api/admin/licenses.ts';
import type { AccountService } from '../accounts/account.service.ts';
import type { ApiKeyAdminService } from '../api-keys/api-key-admin.service.ts';
import type { RefreshTokenService } from '../auth/refresh-token.service.ts';
import { toIso, toIsoOrNull } from '../clock.ts';
import type { CommonDeps } from '../common-deps.ts';
import type { List } from '../database/list.ts';
import type { EntitlementService } from '../entitlements/entitlement.service.ts';
import type { LicenseAdminService } from '../licenses/license-admin.service.ts';
import type { LicenseQuery } from '../licenses/license-list.ts';
import type { StaffMembersService } from '../staff/staff-members.service.ts';
import type { SubscriptionService } from '../subscriptions/subscription.service.ts';

type AccountDetailsServiceDeps = CommonDeps & {
  readonly accounts: AccountService;
  readonly subscriptions: SubscriptionService;
  readonly entitlements: EntitlementService;
  readonly licenseAdmin: LicenseAdminService;
  readonly licenseList: List<LicenseQuery, ListedLicense>;
  readonly apiKeyAdmin: ApiKeyAdminService;
  readonly refreshTokens: RefreshTokenService;
  readonly staffMembers: StaffMembersService;
};

/** Maximum number of licenses included; the others are in the list of licenses. */
const shownLicenses = 10;

export class AccountDetailsService {
  readonly #deps: AccountDetailsServiceDeps;

  constructor(deps: AccountDetailsServiceDeps) {
    this.#deps = deps;
  }

  /** Returns the account with this id. Throws `ApiError` NOT_FOUND. */
  async get(id: string): Promise<z.output<typeof accountRecord>> {
    const { database, accounts, subscriptions, entitlements, licenseAdmin, licenseList } = this.#deps;
    const { apiKeyAdmin, refreshTokens, staffMembers } = this.#deps;
    const account = await accounts.get(id);
    const { email, full_name, createdAtMs, passwordChangedAtMs, hasPassword, emailConfirmedAtMs } = account;
    return {
      id,
      email,
      full_name,
      created_at: toIso(createdAtMs),
      email_confirmed_at: toIsoOrNull(emailConfirmedAtMs),
      email_confirmation_missing: !accounts.mayReceiveByEmail(account),
      password_changed_at: toIso(passwordChangedAtMs),
      has_password: hasPassword,
      role: (await staffMembers.findRole(id)) ?? null,
      subscription: (await subscriptions.get(id)) ?? null,
      other_subscriptions: await subscriptions.listOthers(id),
      entitlement: await entitlements.explain(id),
      licenses: [...(await licenseList.readPage({ account: email }, { limit: shownLicenses })).rows],
      license_totals: await licenseAdmin.totalsOf(id),
      api_key: (await apiKeyAdmin.get(id)) ?? null,
      sessions: await refreshTokens.listSessions(database.read, id),
    };
  }
}
