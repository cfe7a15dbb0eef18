/** An account that is deleted during another operation on it: nothing more is recorded about it. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { interfereBefore } from '../../harness/interference.ts';
import { envelope } from '../../harness/response-shapes.ts';
import { fromPage, newStaff } from '../../harness/staff.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { issueLicense, newEmail, signUp, type User } from '../../harness/users.ts';

const server = sharedApp({ LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:1', LATCHKEY_PUBLIC_URL: 'https://l.example.com' });

/** Runs `interfere` just before the first write of `work`. */
async function afterAdmission(interfere: () => Promise<unknown>, work: () => Promise<unknown>): Promise<void> {
  const writing = vi.spyOn(server.database, 'write').mockImplementationOnce(async (change) => {
    await interfere();
    return server.database.write(change);
  });
  onTestFinished(() => writing.mockRestore());
  await work();
}

it.each([
  ['deleted again', ({ email }: User) => server.services.accounts.remove(email, byCommand)],
  ['signed out everywhere', ({ id }: User) => server.services.accounts.endAllSessions(id, byCommand)],
])('an account that was deleted in the meantime is not %s', async (_, act) => {
  const user = await signUp(server);
  const { accounts, auditList } = server.services;
  await afterAdmission(
    () => accounts.remove(user.email, byCommand),
    () => expect(act(user)).rejects.toMatchObject({ code: 'NOT_FOUND' }),
  );
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

it('a user whose account is deleted at the moment of the sign-out from all devices is not recorded as signed out', async () => {
  const { id, email, token } = await signUp(server);
  await afterAdmission(
    () => server.services.accounts.remove(email, byCommand),
    async () => {
      const response = await server.call('accountSignOut', { token, body: { all_devices: true }, headers: fromPage });
      expect(response).toMatchObject({ status: 200, body: { success: true } });
    },
  );
  const { rows } = await server.services.auditList.readPage({ target: id }, { limit: 10 });
  expect(rows.map(({ action }) => action)).not.toContain('account.sign_out');
});

it('staff who create an account that another member deletes at once learn that it is gone, as documented', async () => {
  const { browser } = await newStaff(server, 'owner');
  const email = newEmail();
  const writing = vi.spyOn(server.database, 'write').mockImplementationOnce(async (work) => {
    const result = await server.database.write(work);
    await server.services.accounts.remove(email, byCommand);
    return result;
  });
  onTestFinished(() => writing.mockRestore());
  expect(await browser.call('createAccount', { body: { email } })).toMatchObject({
    status: 404,
    body: envelope('NOT_FOUND'),
  });
});
