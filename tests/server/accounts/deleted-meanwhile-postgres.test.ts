/** On PostgreSQL an account may be deleted during a transaction about it: nothing is recorded about it afterwards. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { AccountService } from '../../../server/accounts/account.service.ts';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { findPostgres, lockWaits, query } from '../../harness/postgres.ts';
import { sharedPostgres } from '../../harness/shared-postgres.ts';
import { fromPage } from '../../harness/staff.ts';
import { startTestApp } from '../../harness/start-app.ts';
import { signUp } from '../../harness/users.ts';

const postgres = findPostgres() === undefined ? undefined : sharedPostgres();

it.skipIf(!postgres).each([
  { act: 'exported', name: 'exportAccount', options: {} },
  { act: 'signed out everywhere', name: 'accountSignOut', options: { body: { all_devices: true }, headers: fromPage } },
] as const)('an account that is being deleted is not $act afterwards', async ({ name, options }) => {
  const DATABASE_URL = (await postgres?.createDatabase()) ?? '';
  const server = await startTestApp({ DATABASE_URL });
  const { id, email, token } = await signUp(server);
  const { findById } = AccountService.prototype;
  let deleting: Promise<unknown> | undefined;
  // Begins right after the transaction has found the account.
  const finding = vi.spyOn(AccountService.prototype, 'findById').mockImplementation(async function (
    this: AccountService,
    ...[of, transaction]
  ) {
    const account = await findById.call(this, of, transaction);
    if (deleting !== undefined || transaction === undefined) return account;
    let isOver = false;
    deleting = server.services.accounts.remove(email, byCommand).finally(() => {
      isOver = true;
    });
    await expect.poll(async () => isOver || (await query(DATABASE_URL, lockWaits)).length > 0).toBe(true);
    return account;
  });
  onTestFinished(() => finding.mockRestore());
  expect((await server.call(name, { token, ...options })).status).toBe(200);
  await deleting;
  const { rows } = await server.services.auditList.readPage({ target: id }, { limit: 10 });
  expect(rows.map(({ action }) => action)).toContain('account.delete');
  for (const { action, target } of rows) expect({ action, target }).toEqual({ action, target: `account ${email}` });
});
