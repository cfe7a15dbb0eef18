/** Staff members who are removed, or lose a role, while a request from or about them is in progress. */
import { describe, expect, it, vi } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import type { StaffRole } from '../../../shared/api/staff-role.ts';
import { interfereBefore } from '../../harness/interference.ts';
import { envelope } from '../../harness/response-shapes.ts';
import { newStaff, type StaffBrowser } from '../../harness/staff.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { goodPassword, newEmail, signUp } from '../../harness/users.ts';

const server = sharedApp();

/** Removes the member as another admin, after the service has found the member and before it writes. */
async function removedMeanwhile(change: (userId: string) => Promise<unknown>) {
  const { staffAdmin, auditList } = server.services;
  await newStaff(server, 'owner');
  const { email } = await newStaff(server, 'viewer');
  const { id } = await staffAdmin.getByEmail(email);
  vi.spyOn(server.database, 'write').mockImplementationOnce(async (work) => {
    await staffAdmin.remove(id, byCommand);
    return server.database.write(work);
  });
  const error = await change(id).catch((thrown: unknown) => thrown);
  vi.restoreAllMocks();
  const { rows } = await auditList.readPage({ target: id, action: 'staff.remove' }, { limit: 10 });
  const isMember = (await staffAdmin.list()).some((member) => member.id === id);
  return { error, isMember, removals: rows.length };
}

describe('a member who has just been removed', () => {
  it('is not restored by a change of role', async () => {
    const { error, isMember, removals } = await removedMeanwhile((id) =>
      server.services.staffAdmin.setRole(id, 'owner', byCommand),
    );
    expect(error).toMatchObject({ code: 'NOT_FOUND' });
    expect(isMember).toBe(false);
    expect(removals).toBe(1);
  });

  it('is described with the new role, if the removal comes right after the change', async () => {
    const { browser } = await newStaff(server, 'owner');
    const { id } = await newStaff(server, 'viewer');
    const write = vi.spyOn(server.database, 'write').mockImplementationOnce(async (work) => {
      const result = await server.database.write(work);
      await server.services.staffAdmin.remove(id, byCommand);
      return result;
    });
    const response = await browser.call('setStaffRole', { at: id, body: { role: 'support' } });
    write.mockRestore();
    expect(response).toMatchObject({ status: 200, body: { id, role: 'support' } });
  });

  it('is recorded as removed only once in the audit log', async () => {
    const { error, removals } = await removedMeanwhile((id) => server.services.staffAdmin.remove(id, byCommand));
    expect(error).toMatchObject({ code: 'NOT_FOUND' });
    expect(removals).toBe(1);
  });

  it('is told, as the interface documents, that a sign-in of that moment has ended', async () => {
    const { id, email, browser } = await newStaff(server, 'viewer');
    const write = vi.spyOn(server.database, 'write').mockImplementationOnce(async (work) => {
      const result = await server.database.write(work);
      await server.services.staffAdmin.remove(id, byCommand);
      return result;
    });
    expect(await browser.signIn(email)).toMatchObject({ status: 401, body: envelope('INVALID_TOKEN') });
    write.mockRestore();
    expect(await browser.signIn(email)).toMatchObject({ status: 401, body: envelope('INVALID_CREDENTIALS') });
  });
});

/** Sends a request whose sender loses the role after the request was admitted and before it writes. */
async function withoutRoleMeanwhile(
  { before = 'owner', after = 'support' }: { before?: StaffRole; after?: StaffRole },
  request: (browser: StaffBrowser) => Promise<unknown>,
) {
  const { id, browser } = await newStaff(server, before);
  const write = vi.spyOn(server.database, 'write').mockImplementationOnce(async (work) => {
    await server.services.staffAdmin.setRole(id, after, byCommand);
    return server.database.write(work);
  });
  const response = await request(browser);
  write.mockRestore();
  return response;
}

const forbidden = { status: 403, body: envelope('FORBIDDEN') };
const password = 'another quiet lantern 12';

describe('an owner who has just lost the role', () => {
  it('cannot make anybody staff', async () => {
    await newStaff(server, 'owner');
    const email = newEmail();
    const body = { email, role: 'owner' };
    expect(await withoutRoleMeanwhile({}, (browser) => browser.call('addStaff', { body }))).toMatchObject(forbidden);
    expect(await server.services.accounts.findByEmail(email)).toBeUndefined();
  });

  it('makes somebody staff either with a link or not at all, at whatever moment the role is lost', async () => {
    await newStaff(server, 'owner');
    for (let act = 0, isOver = false; !isOver; act++) {
      const { id, browser } = await newStaff(server, 'owner');
      const email = newEmail();
      const { result, acts } = await interfereBefore(act, {
        database: server.database,
        interfere: () => server.services.staffAdmin.setRole(id, 'support', byCommand),
        work: () => browser.call('addStaff', { body: { email, role: 'support' } }),
      });
      isOver = act >= acts;
      expect([200, 403], result.text).toContain(result.status);
      const isAdded = (await server.services.staffAdmin.list()).some((member) => member.email === email);
      expect(isAdded, `before act ${act}: ${result.text}`).toBe(result.status === 200);
    }
  });

  it('stays an owner if the request that would end that is refused', async () => {
    await newStaff(server, 'owner');
    const { id, email, browser } = await newStaff(server, 'owner');
    expect(await browser.call('addStaff', { body: { email, role: 'viewer' } })).toMatchObject(forbidden);
    expect(await server.services.staffAdmin.get(id)).toMatchObject({ role: 'owner' });
  });

  it('can neither change the role of a member, nor remove one, nor delete the account', async () => {
    const { id: at } = await newStaff(server, 'owner');
    for (const request of [
      (browser: StaffBrowser) => browser.call('setStaffRole', { at, body: { role: 'viewer' } }),
      (browser: StaffBrowser) => browser.call('removeStaff', { at }),
      (browser: StaffBrowser) => browser.call('deleteAccount', { at }),
    ]) {
      expect(await withoutRoleMeanwhile({}, request)).toMatchObject(forbidden);
    }
    expect(await server.services.staffAdmin.get(at)).toMatchObject({ role: 'owner' });
  });

  it('cannot set the password of a member, and sets that of an account only as somebody who is no owner', async () => {
    const { id: member, email, browser } = await newStaff(server, 'owner');
    const set = (at: string) =>
      withoutRoleMeanwhile({}, (other) => other.call('setAccountPassword', { at, body: { password } }));
    expect(await set(member)).toMatchObject(forbidden);
    expect((await browser.signIn(email, goodPassword)).status).toBe(200);
    const { id } = await server.services.accounts.create({ email: newEmail(), full_name: '' }, byCommand);
    expect(await set(id)).toMatchObject({ status: 200 });
    const { email: added } = await server.services.accounts.get(id);
    expect(await server.services.staffAdmin.add(added, 'viewer', byCommand)).toMatchObject({ has_password: false });
  });
});

describe('an owner who is no longer one', () => {
  it.each([
    { how: 'was removed', end: (id: string) => server.services.staffAdmin.remove(id, byCommand) },
    { how: 'has become support', end: (id: string) => server.services.staffAdmin.setRole(id, 'support', byCommand) },
    { how: 'has deleted the account', end: (id: string) => server.services.accounts.removeById(id, byCommand) },
  ])('and $how knows no password of an account that becomes staff', async ({ end }) => {
    await newStaff(server, 'owner');
    const { id, browser } = await newStaff(server, 'owner');
    const [created, changed, invited] = [newEmail(), newEmail(), newEmail()];
    await browser.expectOk('createAccount', { body: { email: created, password } });
    const { id: at } = await server.services.accounts.create({ email: changed, full_name: '' }, byCommand);
    await browser.expectOk('setAccountPassword', { at, body: { password } });
    const { link } = await browser.expectOk('inviteAccount', { body: { email: invited } });
    const [, token] = String(link).split('token=');
    expect((await server.call('resetPassword', { body: { token, new_password: password } })).status).toBe(200);
    await end(id);
    for (const email of [created, changed, invited]) {
      expect(await server.services.staffAdmin.add(email, 'owner', byCommand), email).toMatchObject({
        has_password: false,
      });
    }
  });
});

describe('a support member who has just lost the role', () => {
  const roles = { before: 'support', after: 'viewer' } as const;

  it('gets no invitation link, which would outlast the role', async () => {
    const email = newEmail();
    const invite = (browser: StaffBrowser) => browser.call('inviteAccount', { body: { email } });
    expect(await withoutRoleMeanwhile(roles, invite)).toMatchObject(forbidden);
    expect(await server.services.accounts.findByEmail(email)).toBeUndefined();
  });

  it('cannot set the password of an account', async () => {
    const { id: at } = await server.services.accounts.create({ email: newEmail(), full_name: '' }, byCommand);
    const set = (browser: StaffBrowser) => browser.call('setAccountPassword', { at, body: { password } });
    expect(await withoutRoleMeanwhile(roles, set)).toMatchObject(forbidden);
    expect(await server.services.accounts.get(at)).toMatchObject({ hasPassword: false });
  });

  it('cannot end the sessions of an account', async () => {
    const user = await signUp(server);
    const end = (browser: StaffBrowser) => browser.call('endAccountSessions', { at: user.id });
    expect(await withoutRoleMeanwhile(roles, end)).toMatchObject(forbidden);
    expect((await server.call('subscriptionStatus', { token: user.token })).status).toBe(200);
  });
});

it('support does not sign out an account that has just become staff', async () => {
  const { browser } = await newStaff(server, 'support');
  const { id: at, email, token } = await signUp(server);
  // Otherwise the account loses its sessions when it becomes staff.
  await server.database.write((transaction) => server.services.accounts.confirmEmail(transaction, at));
  const write = vi.spyOn(server.database, 'write').mockImplementationOnce(async (work) => {
    await server.services.staffAdmin.add(email, 'owner', byCommand);
    return server.database.write(work);
  });
  const response = await browser.call('endAccountSessions', { at });
  write.mockRestore();
  expect(response).toMatchObject(forbidden);
  expect((await server.call('subscriptionStatus', { token })).status).toBe(200);
});
