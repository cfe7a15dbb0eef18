/** A damaged stored sign-in: the window and the command line report it, and it is kept when somebody signs in again. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine } from './fixtures/command-line.ts';
import { expect, test } from './fixtures/test.ts';
import { licenseState, prepareUser, signIn, signInAndActivate } from './fixtures/user.ts';

test('a damaged sign-in is reported, and everything works after the next one', async ({ desktop, folder, server }) => {
  const user = await prepareUser(server);
  await signInAndActivate(desktop.page, user);
  // The window says that everything works before the lease has arrived.
  const status = () => commandLine(folder, server.url).run(['status']);
  await expect.poll(status).toMatchObject({ json: { lease: { state: 'good' } } });
  const secrets = join(folder, 'profile', 'secrets');
  const session = join(secrets, 'session.json');
  const half = readFileSync(session).subarray(0, 200);
  writeFileSync(session, half);
  await desktop.restart();
  // The lease remains valid.
  await expect(licenseState(desktop.page)).toContainText('Everything works until');
  await expect(desktop.page.getByText('Sign in again.')).toBeVisible();
  await desktop.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(desktop.page.getByText('your saved sign-in could not be read')).toBeVisible();
  expect(await commandLine(folder, server.url).run(['status'])).toMatchObject({
    code: 0,
    json: { session: 'signed-out', session_ended: 'store-unreadable', store: { unreadable: ['session.json'] } },
  });
  await signIn(desktop.page, user);
  await expect(licenseState(desktop.page)).toContainText(/^Everything works/);
  const [kept = ''] = readdirSync(secrets).filter((name) => name.startsWith('session.json.unreadable-'));
  expect(readFileSync(join(secrets, kept))).toEqual(half);
  await desktop.restart();
  await expect(licenseState(desktop.page)).toContainText(/^Everything works/);
});
