/** An account as the admin commands show it. */
import type { User } from '../../shared/api/auth.ts';
import type { Account } from '../accounts/account.service.ts';
import { toIso } from '../clock.ts';
import type { Answer } from './answer.ts';
import type { AdminServices } from './open-services.ts';

export type UserRecord = User & {
  /** Whether the account may use the admin console. */
  readonly staff: boolean;
  readonly created_at: string;
};

export function toUserRecord({ isStaff, createdAtMs, ...user }: Account): UserRecord {
  return { ...user, staff: isStaff, created_at: toIso(createdAtMs) };
}

/** The account with all that it has. */
export async function describeUser(services: AdminServices, email: string): Promise<Answer> {
  const account = await services.accounts.find(email);
  const subscription = (await services.subscriptions.get(account.id)) ?? null;
  return { json: { ...toUserRecord(account), subscription } };
}
