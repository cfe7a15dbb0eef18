/** An account that is deleted during another operation on it: nothing more is recorded about it. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { interfereBefore } from '../../harness/interference.ts';
import { envelope } from '../../harness/response-shapes.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { issueLicense, signUp, type User } from '../../harness/users.ts';

const server = sharedApp({ LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:1', LATCHKEY_PUBLIC_URL: 'https://l.example.com' });

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

it.each(['accountSession', 'emailStatus', 'exportAccount', 'sendEmailConfirmation'] as const)(
  'a user whose account is deleted at any moment of the request learns that the session has ended: %s',
  async (name) => {
    for (let act = 0, isOver = false; !isOver; act++) {
      const { email, token } = await signUp(server);
      const { result, acts } = await interfereBefore(act, {
        database: server.database,
        interfere: () => server.services.accounts.remove(email, byCommand),
        work: () => server.call(name, { token }),
      });
      isOver = act >= acts;
      if (isOver || result.status === 200) continue;
      expect(result, `before act ${act}`).toMatchObject({ status: 401, body: envelope('INVALID_TOKEN') });
    }
  },
);

it('an account that is deleted while it is exported is not exported without what belonged to it', async () => {
  for (let act = 0, isOver = false; !isOver; act++) {
    const { email, token } = await signUp(server);
    await issueLicense(server, '--email', email);
    const { result, acts } = await interfereBefore(act, {
      database: server.database,
      interfere: () => server.services.accounts.remove(email, byCommand),
      work: () => server.call('exportAccount', { token }),
    });
    isOver = act >= acts;
    if (result.status === 200) expect(result.body.licenses, `before act ${act}`).toHaveLength(1);
  }
});
