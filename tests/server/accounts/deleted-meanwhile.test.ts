/** An account that two delete at the same moment is deleted once. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { signUp } from '../../harness/users.ts';

const server = sharedApp();

it('an account that was deleted meanwhile is deleted once in the audit log, and one event tells of it', async () => {
  const { id, email } = await signUp(server);
  const { accounts, auditList } = server.services;
  const writing = vi.spyOn(server.database, 'write');
  onTestFinished(() => writing.mockRestore());
  writing.mockImplementationOnce(async (work) => {
    await accounts.remove(email, byCommand);
    return server.database.write(work);
  });
  await expect(accounts.remove(email, byCommand)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const { rows } = await auditList.readPage({ target: id, action: 'account.delete' }, { limit: 10 });
  expect(rows).toHaveLength(1);
});
