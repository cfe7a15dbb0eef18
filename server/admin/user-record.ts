/** An account as the admin commands show it. */
import type { User } from '../../shared/api/auth.ts';
import type { Account } from '../accounts/account.service.ts';
import { toIso } from '../clock.ts';
import type { Services } from '../services.ts';
import type { Answer } from './answer.ts';
import { formatLicenses } from './license-record.ts';
import { formatFields } from './text-table.ts';

export type UserRecord = User & {
  /** Whether the account may use the admin page. */
  readonly staff: boolean;
  readonly created_at: string;
};

export function toUserRecord({ isStaff, createdAtMs, ...user }: Account): UserRecord {
  return { ...user, staff: isStaff, created_at: toIso(createdAtMs) };
}

/** The account with all that it has; a person reads the gist of it. */
export async function describeUser(services: Services, email: string): Promise<Answer> {
  const account = await services.accounts.find(email);
  const user = toUserRecord(account);
  const subscription = (await services.subscriptions.get(account.id)) ?? null;
  const licenses = await services.licenseAdmin.list(account.id);
  const apiKey = (await services.apiKeyAdmin.get(account.id)) ?? null;
  const gist = {
    ...user,
    subscription:
      subscription && `${subscription.plan}, ${subscription.status} until ${subscription.current_period_end}`,
    api_key: apiKey && `${apiKey.api_key_prefix}… of ${apiKey.created_at}`,
  };
  return {
    json: { ...user, subscription, licenses, api_key: apiKey },
    text: [formatFields(gist), ...(licenses.length > 0 ? ['', formatLicenses(licenses)] : [])].join('\n'),
  };
}
