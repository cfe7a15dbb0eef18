/** `staff`: adds, lists and removes users of the admin page, and prints links. */
import { describe, expect, it } from 'vitest';
import { timestamp, uuid } from '../../harness/response-shapes.ts';
import { createAdmin, expectDocument, expectFailure } from '../../harness/test-admin.ts';
import { change } from '../audit/databases.ts';

type Member = { id: string; email: string; role: string; has_password: boolean };

const run = (admin: ReturnType<typeof createAdmin>, ...words: string[]) => admin.runHere([...words, '--json']);

describe('staff add', () => {
  it('makes an account an owner, or gives it the specified role', async () => {
    const admin = createAdmin();
    await admin.json(['user', 'create', '--email', 'ada@example.com', '--password-stdin'], 'a fine passphrase');
    expect(expectDocument(await run(admin, 'staff', 'add', 'ADA@example.com'))).toStrictEqual({
      id: uuid,
      email: 'ada@example.com',
      full_name: '',
      role: 'owner',
      created_at: timestamp,
      last_used_at: null,
      sessions: 0,
      passkeys: 0,
      has_password: true,
    });
    const bob = expectDocument<Member>(await run(admin, 'staff', 'add', 'bob@example.com', '--role', 'viewer'));
    expect(bob).toMatchObject({ role: 'viewer', has_password: false });
    expect(await admin.json(['user', 'show', 'bob@example.com'])).toMatchObject({ id: bob.id });
    const again = expectDocument<Member>(await run(admin, 'staff', 'add', 'bob@example.com', '--role', 'support'));
    expect(again).toMatchObject({ id: bob.id, role: 'support' });
  });

  it('says in its help and its output that it makes an owner without --role', async () => {
    const admin = createAdmin();
    await admin.json(['plan', 'list']);
    const { stdout: help } = await admin.runHere(['staff', 'add', '--help']);
    expect(help.replace(/\s+/g, ' ')).toContain('as an owner unless --role names another role');
    const { stdout: owner } = await admin.runHere(['staff', 'add', 'ada@example.com']);
    expect(owner).toContain('ada@example.com has the role owner: it may do everything, also add and remove staff.\n');
    expect(owner).toContain('It has no password and cannot sign in yet: "staff link ada@example.com"');
    const { stdout: viewer } = await admin.runHere(['staff', 'add', 'bob@example.com', '--role', 'viewer']);
    expect(viewer).toContain('bob@example.com has the role viewer: it reads everything and changes nothing.\n');
  });

  it('without --role does not change the role of a member', async () => {
    const admin = createAdmin();
    await admin.json(['staff', 'add', 'ada@example.com']);
    await admin.json(['staff', 'add', 'bob@example.com', '--role', 'viewer']);
    expect(await admin.json(['staff', 'add', 'BOB@example.com'])).toMatchObject({ role: 'viewer' });
    const { stdout } = await admin.runHere(['staff', 'add', 'bob@example.com']);
    expect(stdout).toContain('bob@example.com has the role viewer: it reads everything and changes nothing.\n');
  });

  it('refuses an invalid email address, and a lower role for the last owner', async () => {
    const admin = createAdmin();
    expectFailure(await run(admin, 'staff', 'add', 'nobody'), 'VALIDATION_ERROR');
    await admin.json(['staff', 'add', 'ada@example.com']);
    expectFailure(await run(admin, 'staff', 'add', 'ada@example.com', '--role', 'viewer'), 'CONFLICT');
  });
});

describe('staff list', () => {
  it('is an array in the order in which members were added, even when read in parts', async () => {
    const admin = createAdmin();
    expect(await admin.json<Member[]>(['staff', 'list'])).toStrictEqual([]);
    for (const name of ['c', 'a', 'b']) await admin.json(['staff', 'add', `${name}@example.com`]);
    const all = await admin.json<Member[]>(['staff', 'list']);
    expect(all.map(({ email }) => email)).toStrictEqual(['c@example.com', 'a@example.com', 'b@example.com']);
    const [first] = await admin.json<Member[]>(['staff', 'list', '--limit', '1']);
    expect(first).toStrictEqual(all[0]);
    expect(await admin.json(['staff', 'list', '--after', first?.id ?? ''])).toStrictEqual(all.slice(1));
    const { stdout } = await admin.runHere(['staff', 'list']);
    expect(stdout).toMatch(/^email +role +/);
  });
});

describe('staff remove', () => {
  it('ends the access and keeps the account, but refuses to remove the last owner', async () => {
    const admin = createAdmin();
    await admin.json(['staff', 'add', 'ada@example.com']);
    await admin.json(['staff', 'add', 'bob@example.com']);
    expect(await admin.json(['staff', 'remove', 'bob@example.com'])).toMatchObject({ email: 'bob@example.com' });
    expect(await admin.json<Member[]>(['staff', 'list'])).toHaveLength(1);
    expect(await admin.json(['user', 'show', 'bob@example.com'])).toMatchObject({ email: 'bob@example.com' });
    expectFailure(await run(admin, 'staff', 'remove', 'bob@example.com'), 'NOT_FOUND');
    expectFailure(await run(admin, 'staff', 'remove', 'nobody@example.com'), 'NOT_FOUND');
    expectFailure(await run(admin, 'staff', 'remove', 'ada@example.com'), 'CONFLICT');
    expectFailure(await run(admin, 'user', 'delete', 'ada@example.com'), 'CONFLICT');
  });
});

describe('staff link', () => {
  it.each([
    [{}, 'http://localhost:8470'],
    [{ LATCHKEY_PORT: '9000' }, 'http://localhost:9000'],
    [{ LATCHKEY_HOST: '::1' }, 'http://localhost:8470'],
    [{ LATCHKEY_HOST: '192.0.2.1', LATCHKEY_ALLOW_HTTP: '1' }, 'http://192.0.2.1:8470'],
    [{ LATCHKEY_PUBLIC_URL: 'https://licenses.example.com' }, 'https://licenses.example.com'],
  ])('prints a link to the page of the server with %o', async (settings, origin) => {
    const admin = createAdmin(settings);
    await admin.json(['staff', 'add', 'ada@example.com']);
    const link = await admin.json<{ url: string }>(['staff', 'link', 'ada@example.com']);
    expect(link).toStrictEqual({ url: expect.any(String), expires_at: timestamp });
    expect(link.url.split('#')[0]).toBe(`${origin}/admin`);
    expect(link.url.split('#')[1]).toMatch(/^\/welcome\?token=[\w-]{43}$/);
  });

  it('is refused if the port of the page is unknown, and keeps an earlier link valid', async () => {
    const admin = createAdmin({ LATCHKEY_PORT: '0' });
    await admin.json(['staff', 'add', 'ada@example.com']);
    const { code, stdout, stderr } = await run(admin, 'staff', 'link', 'ada@example.com');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('LATCHKEY_PUBLIC_URL');
    const actions = (await admin.json<{ action: string }[]>(['audit', 'list'])).map(({ action }) => action);
    expect(actions).not.toContain('staff.link');
  });

  it('answers NOT_FOUND for an account that is not staff', async () => {
    const admin = createAdmin();
    await admin.json(['user', 'create', '--email', 'ada@example.com', '--password-stdin'], 'a fine passphrase');
    for (const email of ['ada@example.com', 'nobody@example.com', 'nobody']) {
      expectFailure(await run(admin, 'staff', 'link', email), 'NOT_FOUND');
    }
  });
});

describe('staff passkeys', () => {
  it('lists the passkeys of a member with the times they were added and last used, and removes one', async () => {
    const admin = createAdmin();
    const { id } = await admin.json<Member>(['staff', 'add', 'ada@example.com']);
    await admin.json(['staff', 'add', 'bob@example.com']);
    expect(await admin.json(['staff', 'passkeys', 'ada@example.com'])).toStrictEqual([]);
    for (const [key, name, createdAtMs, usedAtMs] of [
      ['key-1', 'Laptop', 1_770_000_000_000, 1_770_000_600_000],
      ['key-2', 'Phone', 1_770_000_300_000, 'null'],
    ]) {
      await change(
        admin,
        `insert into passkeys (credential_id, user_id, public_key, counter, transports, name, created_at_ms, last_used_at_ms, origin)
         values ('${key}', '${id}', '', 0, '', '${name}', ${createdAtMs}, ${usedAtMs}, '')`,
      );
    }
    const phone = { id: 'key-2', name: 'Phone', created_at: '2026-02-02T02:45:00.000Z', last_used_at: null };
    expect(await admin.json(['staff', 'passkeys', 'ADA@example.com'])).toStrictEqual([
      { id: 'key-1', name: 'Laptop', created_at: '2026-02-02T02:40:00.000Z', last_used_at: '2026-02-02T02:50:00.000Z' },
      phone,
    ]);
    const { stdout } = await admin.runHere(['staff', 'passkeys', 'ada@example.com']);
    expect(stdout).toMatch(/^name +created at +last used at +id\nLaptop +2026-02-02/);
    expectFailure(await run(admin, 'staff', 'remove-passkey', 'bob@example.com', 'key-1'), 'NOT_FOUND');
    expect(await admin.json(['staff', 'remove-passkey', 'ada@example.com', 'key-1'])).toMatchObject({ name: 'Laptop' });
    expect(await admin.json(['staff', 'passkeys', 'ada@example.com'])).toStrictEqual([phone]);
    expectFailure(await run(admin, 'staff', 'remove-passkey', 'ada@example.com', 'key-1'), 'NOT_FOUND');
    const [entry] = await admin.json<{ action: string; target: string }[]>(['audit', 'list']);
    expect(entry).toMatchObject({ action: 'staff.passkey_remove', target: 'account ada@example.com' });
  });

  it('answers NOT_FOUND for an account that is not staff', async () => {
    const admin = createAdmin();
    await admin.json(['user', 'create', '--email', 'ada@example.com', '--password-stdin'], 'a fine passphrase');
    expectFailure(await run(admin, 'staff', 'passkeys', 'ada@example.com'), 'NOT_FOUND');
  });
});

it('each staff command is recorded in the audit log', async () => {
  const admin = createAdmin();
  await admin.json(['staff', 'add', 'ada@example.com']);
  await admin.json(['staff', 'add', 'bob@example.com']);
  await admin.json(['staff', 'link', 'bob@example.com']);
  await admin.json(['staff', 'remove', 'bob@example.com']);
  const entries = await admin.json<{ action: string; actor: string; target: string }[]>(['audit', 'list']);
  const ofBob = entries.filter(({ target }) => target === 'account bob@example.com');
  expect(ofBob.map(({ action }) => action)).toStrictEqual([
    'staff.remove',
    'staff.link',
    'staff.add',
    'account.create',
  ]);
  expect(new Set(ofBob.map(({ actor }) => actor))).toStrictEqual(new Set(['admin command']));
});
