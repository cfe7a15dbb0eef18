/** Staff see when the address of an account was never confirmed, on the admin page and in commands. */
import { expect, it } from 'vitest';
import { timestamp } from '../../harness/response-shapes.ts';
import { newStaff } from '../../harness/staff.ts';
import { startTestApp, type TestApp } from '../../harness/start-app.ts';
import { createAdmin } from '../../harness/test-admin.ts';
import { newEmail, signUp, type User } from '../../harness/users.ts';

const mail = { LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:1' };
const missing = { email_confirmed_at: null, email_confirmation_missing: true };
const confirmed = { email_confirmed_at: timestamp, email_confirmation_missing: false };
/** For an account without a password, or a server without mail. */
const unproved = { email_confirmed_at: null, email_confirmation_missing: false };

async function start(settings: Record<string, string> = mail) {
  const app = await startTestApp(settings);
  return { app, browser: (await newStaff(app, 'support')).browser, user: await signUp(app) };
}

type Started = Awaited<ReturnType<typeof start>>;

async function expectShown(
  { browser }: Pick<Started, 'browser'>,
  { id, email }: Pick<User, 'id' | 'email'>,
  of: object,
) {
  expect(await browser.expectOk('account', { at: id })).toMatchObject({ id, ...of });
  const { accounts } = await browser.expectOk('accounts', { query: { search: email } });
  expect(accounts).toMatchObject([{ id, email, ...of }]);
}

async function confirm(app: TestApp, { id }: User): Promise<void> {
  await app.database.write((transaction) => app.services.accounts.confirmEmail(transaction, id));
}

it('the admin page shows an unconfirmed address until it is confirmed', async () => {
  const { app, browser, user } = await start();
  await expectShown({ browser }, user, missing);
  await confirm(app, user);
  await expectShown({ browser }, user, confirmed);
  const { text } = await browser.call('accounts', { query: { search: user.email, format: 'csv' } });
  expect(text).toMatch(/,email_confirmed_at\r\n.*,\d{4}-\d\d-\d\dT[^,]*Z\r\n$/);
});

it('no confirmation is missing for an account that nobody can sign in to, or that an admin created', async () => {
  const { app, browser } = await start();
  const by = { actor: { kind: 'command' } } as const;
  const invited = await app.database.write((transaction) =>
    app.services.accounts.findOrAdd(transaction, newEmail(), by),
  );
  await expectShown({ browser }, invited, unproved);
  const created = await app.services.accounts.create({ email: newEmail(), full_name: '' }, by);
  await expectShown({ browser }, created, confirmed);
});

it('no confirmation is missing if no mail is sent, so that addresses cannot be confirmed', async () => {
  const { browser, user } = await start({});
  await expectShown({ browser }, user, unproved);
});

it('commands show when the address was confirmed', async () => {
  const { app, user } = await start();
  expect(await app.admin('user', 'show', user.email)).toMatchObject({ email_confirmed_at: null });
  await confirm(app, user);
  expect(await app.admin('user', 'show', user.email)).toMatchObject({ email_confirmed_at: timestamp });
  const users = await app.admin('user', 'list');
  expect(users).toContainEqual(expect.objectContaining({ id: user.id, email_confirmed_at: timestamp }));
});

it.each([
  ['license issue', (email: string) => ['license', 'issue', '--email', email]],
  [
    'api-key import-legacy',
    (email: string) => ['api-key', 'import-legacy', email, '--key', `key-of-${email}`, '--expires-at', '2099-01-31'],
  ],
])('%s warns, but not with --json, and only on a server that sends mail', async (_, wordsFor) => {
  const { app, user } = await start();
  const admin = createAdmin(mail, app.dataFolder);
  const run = (email: string, ...more: string[]) => admin.runHere([...wordsFor(email), ...more]);
  const warned = { code: 0, stderr: expect.stringMatching(/^Warning: nobody has confirmed .*\n$/) };
  expect(await run(user.email)).toMatchObject(warned);
  expect((await run(user.email, '--json')).stderr).toBe('');
  expect(await createAdmin({}, app.dataFolder).runHere(wordsFor(user.email))).toMatchObject({ code: 0, stderr: '' });
  await confirm(app, user);
  expect(await run(user.email)).toMatchObject({ code: 0, stderr: '' });
});
