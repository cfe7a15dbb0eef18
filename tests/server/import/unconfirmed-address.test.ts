/**
 * Imports for an account whose address may belong to somebody else: on a server that sends mail, an account with an
 * unconfirmed address gets neither a license nor an API key.
 */
import { hash } from '@node-rs/bcrypt';
import { expect, it } from 'vitest';
import { startHttpServer } from '../../harness/http-server.ts';
import { startSmtpServer } from '../../harness/mails.ts';
import { invalid, sentence } from '../../harness/response-shapes.ts';
import { createAdmin } from '../../harness/test-admin.ts';
import type { TestServer } from '../../harness/test-server.ts';
import { activate, goodPassword, newDeviceId, newEmail, signUp, type User } from '../../harness/users.ts';
import { describeEachDatabase, type TestDatabase } from '../audit/databases.ts';
import { importLines, writeCsv } from './import-files.ts';

const licenseHeader = 'license_key,email,plan';
const keyHeader = 'email,key,expires_at';

async function start(database: TestDatabase) {
  const smtp = await startSmtpServer();
  const admin = await database.createAdmin();
  Object.assign(admin.settings, { LATCHKEY_SMTP_URL: smtp.url });
  return { smtp, admin, server: await startHttpServer(admin) };
}

/** Follows the link for a new password, which requires access to the mailbox. */
async function confirm({ smtp, server }: Awaited<ReturnType<typeof start>>, { email }: User): Promise<void> {
  await server.call('forgotPassword', { body: { email } });
  const token = /\/reset#token=([\w-]+)/.exec((await smtp.waitFor(email))[0]?.text ?? '')?.[1];
  const body = { token, new_password: 'another quiet lantern 12' };
  expect((await server.call('resetPassword', { body })).status).toBe(200);
}

async function validate(server: TestServer, { token }: User, license_key: string) {
  return (await server.call('validateLicense', { token, body: { license_key, device_id: newDeviceId() } })).body;
}

describeEachDatabase((database) => {
  it('a license is imported without an owner, and the holder of the key can claim it', async () => {
    const { admin, server } = await start(database);
    const squatter = await signUp(server);
    await admin.json(['subscription', 'set', squatter.email, '--plan', 'advanced']);
    const lines = [licenseHeader, `k-1,${squatter.email},`, 'k-2,,'];
    const report = { rows: 2, imported: 2, refused: [], warnings: [{ row: 1, reason: sentence }] };
    expect(await importLines(admin, 'licenses', lines, '--dry-run')).toEqual(report);
    expect(await importLines(admin, 'licenses', lines)).toEqual(report);
    const listed = await admin.json<object[]>(['license', 'list']);
    expect(listed).toMatchObject([
      { email: null, plan: 'standard' },
      { email: null, plan: 'standard' },
    ]);
    const replaced = await server.call('replaceLicenseKey', {
      token: squatter.token,
      body: { password: squatter.password },
    });
    expect(replaced.body).toMatchObject({ code: 'LICENSE_NOT_FOUND' });
    const customer = await signUp(server);
    expect((await activate(server, customer, 'k-1')).response.body).toMatchObject({ success: true });
    expect(await validate(server, squatter, 'k-1')).toEqual(invalid('LICENSE_NOT_FOUND'));
  });

  it('an API key is refused until the address is confirmed', async () => {
    const started = await start(database);
    const { admin, server } = started;
    const user = await signUp(server);
    const lines = [keyHeader, `${user.email},key-of-the-customer,2099-01-31`];
    const refused = [{ row: 1, reason: expect.stringContaining('confirmed') }];
    expect(await importLines(admin, 'api-keys', lines)).toEqual({ rows: 1, imported: 0, refused });
    await confirm(started, user);
    expect(await importLines(admin, 'api-keys', lines)).toEqual({ rows: 1, imported: 1, refused: [] });
    expect(await importLines(admin, 'licenses', [licenseHeader, `k-1,${user.email},`])).toEqual({
      rows: 1,
      imported: 1,
      refused: [],
    });
    expect(await admin.json(['license', 'list'])).toMatchObject([{ email: user.email }]);
  });

  it('accounts that were imported, invited or created by an admin get both', async () => {
    const { admin, server } = await start(database);
    const [withHash, withoutHash, invited, created] = [newEmail(), newEmail(), newEmail(), newEmail()];
    const accounts = ['email,password_hash', `${withHash},${await hash(goodPassword, 4)}`, `${withoutHash},`];
    await importLines(admin, 'accounts', accounts);
    await admin.json(['user', 'invite', invited]);
    await admin.createUser(created);
    expect((await server.call('login', { body: { email: withHash, password: goodPassword } })).status).toBe(200);
    const all = [withHash, withoutHash, invited, created];
    const report = { rows: 4, imported: 4, refused: [] };
    const licenses = [licenseHeader, ...all.map((email, index) => `k-${index},${email},`)];
    expect(await importLines(admin, 'licenses', licenses)).toEqual(report);
    const keys = [keyHeader, ...all.map((email, index) => `${email},api-${index},2099-01-31`)];
    expect(await importLines(admin, 'api-keys', keys)).toEqual(report);
    const listed = await admin.json<{ email: string }[]>(['license', 'list']);
    expect(listed.map(({ email }) => email)).toEqual(all);
  });

  it('every account gets both if no mail is sent and addresses cannot be confirmed', async () => {
    const admin = await database.createAdmin();
    const { email } = await signUp(await startHttpServer(admin));
    const report = { rows: 1, imported: 1, refused: [] };
    expect(await importLines(admin, 'licenses', [licenseHeader, `k-1,${email},`])).toEqual(report);
    expect(await importLines(admin, 'api-keys', [keyHeader, `${email},old-key,2099-01-31`])).toEqual(report);
    expect(await admin.json(['license', 'list'])).toMatchObject([{ email }]);
  });
});

it('the text report lists warnings after the refused rows', async () => {
  const { admin, server } = await start({ createAdmin: async () => createAdmin() });
  const { email } = await signUp(server);
  const file = writeCsv(admin, [licenseHeader, 'k-1,nobody@lab.org,', `k-2,${email},`]);
  const { stdout, code } = await admin.runHere(['import', 'licenses', file]);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /imported {2}1\nrefused {3}1\n\nrow {2}reason\n1 .*\n\nwarnings {2}1\n\nrow {2}reason\n2 {4}Imported without an owner: /,
  );
});
