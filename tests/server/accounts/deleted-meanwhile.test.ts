/** An account that is deleted during another operation on it: nothing more is recorded about it. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { signUp, type User } from '../../harness/users.ts';

const server = sharedApp();

it.each([
  ['deleted again', ({ email }: User) => server.services.accounts.remove(email, byCommand)],
  ['signed out everywhere', ({ id }: User) => server.services.accounts.endAllSessions(id, byCommand)],
])('an account that was deleted in the meantime is not %s', async (_, act) => {
  const user = await signUp(server);
  const { accounts, auditList } = server.services;
  const writing = vi.spyOn(server.database, 'write');
  onTestFinished(() => writing.mockRestore());
  writing.mockImplementationOnce(async (work) => {
    await accounts.remove(user.email, byCommand);
    return server.database.write(work);
  });
  await expect(act(user)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const { rows } = await auditList.readPage({ target: user.id }, { limit: 10 });
  expect(rows.map(({ action }) => action).sort()).toEqual(['account.create', 'account.delete']);
});
