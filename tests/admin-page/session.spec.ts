/** Staff sign-in: the first link, passkeys, sessions that end, and confirmations. */
import { expect, signIn, signOut, staffEmail, staffPassword, test } from './staff-fixture.ts';

test('the first administrator follows the link, is offered a passkey immediately, and signs in with it', async ({
  page,
  server,
}) => {
  const link = await server.firstLink();
  await page.goto(link);
  await expect(page.getByRole('heading', { name: 'Welcome to Latchkey' })).toBeVisible();
  expect(page.url()).not.toContain('token');
  await page.getByLabel('Email').fill(staffEmail);
  await page.getByLabel('Password', { exact: true }).fill(staffPassword);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await expect(page.getByText('Your passkey was added.')).toBeVisible();
  await signOut(page);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await expect(page.getByRole('link', { name: 'Overview', exact: true })).toBeVisible();
  await page.goto('about:blank');
  await page.goto(link);
  await expect(page.getByRole('heading', { name: 'This link no longer works' })).toBeVisible();
});

test('a wrong password shows an alert, and a correct one opens the screen of the address', async ({
  signedIn: page,
  server,
}) => {
  await signOut(page);
  await page.goto(`${server.url}/admin#/licenses?status=active`);
  await signIn(page, staffEmail, 'not the password');
  await expect(page.getByRole('alert')).toContainText('The email or password is incorrect.');
  await signIn(page);
  await page.getByRole('button', { name: 'Not now' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Licenses');
  await expect(page.getByLabel('Status')).toHaveValue('active');
});

test('an account that is not staff cannot sign in', async ({ signedIn: page, server }) => {
  await server.admin(['user', 'create', '--email', 'ada@lab.example', '--password-stdin'], 'quiet harbor lantern 47');
  await signOut(page);
  await signIn(page, 'ada@lab.example', 'quiet harbor lantern 47');
  await expect(page.getByRole('alert')).toBeVisible();
});

test('a session that is ended from elsewhere asks for a sign-in, then continues where it was', async ({
  signedIn: page,
  server,
  browser,
}) => {
  const { licenseId } = await server.seedUser('ada@lab.example');
  const other = await browser.newContext();
  const elsewhere = await other.newPage();
  await elsewhere.goto(`${server.url}/admin#/profile`);
  await signIn(elsewhere);
  await elsewhere.getByRole('button', { name: 'Not now' }).click();
  await page.goto(`${server.url}/admin#/licenses?open=${licenseId}`);
  await page.getByRole('button', { name: 'Suspend' }).click();
  const sessions = elsewhere.getByRole('list', { name: 'Sessions' });
  await sessions.getByRole('button', { name: 'End' }).click();
  await expect(sessions.getByRole('listitem')).toHaveCount(1);
  await page.getByRole('alertdialog').getByRole('button', { name: 'Suspend' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await expect(dialog.getByLabel('Email')).toHaveValue(staffEmail);
  await expect(dialog.getByLabel('Password', { exact: true })).toBeFocused();
  await page.keyboard.type(staffPassword);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Reinstate' })).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await other.close();
});

test('a call that is still pending at a sign-out does not prompt for another sign-in', async ({
  signedIn: page,
  server,
}) => {
  const [ended, signingOut] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route('**/api/v1/admin/session', async (route) => {
    if (route.request().method() !== 'DELETE') return route.fallback();
    const response = await route.fetch();
    ended.resolve();
    await signingOut.promise;
    await route.fulfill({ response });
  });
  await page.getByRole('button', { name: staffEmail }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await ended.promise;
  // The session has ended, but the page does not know that yet.
  await page.evaluate(() => {
    window.location.hash = '#/licenses';
  });
  await expect(page.getByRole('dialog', { name: 'Your session has ended' })).toBeVisible();
  signingOut.resolve();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
  await page.goto(`${server.url}/admin`);
});

test('a tab follows a sign-in and a sign-out in another tab', async ({ signedIn: page, server, context }) => {
  const password = 'quiet harbor lantern 47';
  await server.admin(['user', 'create', '--email', 'hedy@lab.example', '--password-stdin'], password);
  await server.admin(['staff', 'add', 'hedy@lab.example', '--role', 'viewer']);
  await page.goto(`${server.url}/admin#/plans`);
  const elsewhere = await context.newPage();
  await elsewhere.goto(`${server.url}/admin`);
  await signOut(elsewhere);
  await expect(page.getByLabel('Email')).toBeVisible();
  await signIn(elsewhere, 'hedy@lab.example', password);
  await expect(page.getByRole('button', { name: 'hedy@lab.example' })).toBeVisible();
  await expect(page.getByRole('button', { name: staffEmail })).toHaveCount(0);
});

test('actions that cannot be undone are confirmed with the password, at most once every five minutes', async ({
  signedIn: page,
  server,
}) => {
  await server.seedUser('ada@lab.example');
  const { user_id: accountId } = (await server.admin(['license', 'list']))[0];
  server.forgetConfirmations();
  await page.goto(`${server.url}/admin#/accounts?open=${accountId}`);
  await page.getByRole('button', { name: 'Delete account' }).click();
  await page.getByLabel('Type ada@lab.example to confirm').fill('ADA@lab.example');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete account' }).click();
  const confirm = page.getByRole('dialog', { name: 'Confirm that it’s you' });
  await confirm.getByLabel('Password', { exact: true }).fill('not the password');
  await confirm.getByRole('button', { name: 'Confirm' }).click();
  await expect(confirm.getByRole('alert')).toContainText('incorrect');
  await confirm.getByLabel('Password', { exact: true }).fill(staffPassword);
  await confirm.getByRole('button', { name: 'Confirm' }).click();
  await expect(page.getByText('ada@lab.example was deleted.')).toBeVisible();
  expect(await server.admin(['user', 'list'])).toHaveLength(1);
});

test('canceling the confirmation changes nothing', async ({ signedIn: page, server }) => {
  const { licenseId } = await server.seedUser('ada@lab.example');
  server.forgetConfirmations();
  await page.goto(`${server.url}/admin#/licenses?open=${licenseId}`);
  await page.getByRole('button', { name: 'Revoke' }).click();
  await page
    .getByLabel(/^Type SVC-/)
    .fill((await page.getByRole('alertdialog').locator('label').innerText()).split(' ')[1] ?? '');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog', { name: 'Confirm that it’s you' }).getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('alertdialog')).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
  expect((await server.admin(['license', 'list']))[0].status).toBe('active');
});

test('passkeys can be added and removed in the profile', async ({ signedIn: page, server }) => {
  await page.goto(`${server.url}/admin#/profile`);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  const passkeys = page.getByRole('list', { name: 'Passkeys' });
  await expect(passkeys.getByRole('listitem')).toHaveCount(1);
  await passkeys.getByRole('button', { name: 'Remove' }).click();
  const dialog = page.getByRole('alertdialog');
  await dialog
    .getByRole('textbox')
    .fill((await dialog.locator('label').innerText()).replace(/^Type | to confirm$/g, ''));
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('No passkeys yet.')).toBeVisible();
});

test('an owner can see the passkeys of a member of staff, and remove one', async ({ signedIn: page, server }) => {
  await page.goto(`${server.url}/admin#/profile`);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await expect(page.getByRole('list', { name: 'Passkeys' }).getByRole('listitem')).toHaveCount(1);
  await page.goto(`${server.url}/admin#/staff`);
  const member = page.getByRole('list', { name: 'Staff' }).getByRole('listitem');
  await expect(member).toContainText('1 passkey');
  await member.getByRole('button', { name: 'Passkeys' }).click();
  const passkeys = page.getByRole('list', { name: `Passkeys of ${staffEmail}` });
  await expect(passkeys.getByRole('listitem')).toHaveCount(1);
  await passkeys.getByRole('button', { name: 'Remove' }).click();
  const dialog = page.getByRole('alertdialog');
  await expect(dialog).toContainText(`${staffEmail} can no longer sign in with this passkey`);
  await dialog
    .getByRole('textbox')
    .fill((await dialog.locator('label').innerText()).replace(/^Type | to confirm$/g, ''));
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('No passkeys yet.')).toBeVisible();
  await page.getByRole('dialog', { name: 'Passkeys of' }).getByRole('button', { name: 'Close' }).click();
  await expect(member).toContainText('0 passkeys');
});

test('a new member of staff gets a link, chooses a password, and sees what their role allows', async ({
  signedIn: page,
  server,
  browser,
}) => {
  const { licenseId } = await server.seedUser('ada@lab.example');
  await page.goto(`${server.url}/admin#/staff`);
  await page.getByRole('button', { name: 'Add staff' }).click();
  await page.getByRole('dialog').getByLabel('Email').fill('margaret@lab.example');
  await page.getByRole('dialog').getByRole('button', { name: 'Add staff' }).click();
  const link = await page.getByRole('dialog').locator('output').innerText();
  await page.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByRole('list', { name: 'Staff' })).toContainText('Viewer');

  const context = await browser.newContext();
  const margaret = await context.newPage();
  await margaret.goto(link);
  await expect(margaret.getByText('Choose a password for margaret@lab.example.')).toBeVisible();
  await margaret.getByLabel('Password', { exact: true }).fill('copper meadow 1969');
  await margaret.getByRole('button', { name: 'Continue' }).click();
  await margaret.getByRole('button', { name: 'Not now' }).click();
  await margaret.goto(`${server.url}/admin#/licenses?open=${licenseId}`);
  await expect(margaret.getByRole('heading', { level: 2 })).toBeVisible();
  for (const name of ['Suspend', 'Revoke', 'Release', 'Issue license', 'Change limit']) {
    await expect(margaret.getByRole('button', { name })).toHaveCount(0);
  }

  await page.getByRole('listitem').filter({ hasText: 'margaret' }).getByRole('button', { name: 'Change role' }).click();
  await page.getByLabel('Staff role').selectOption('support');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('list', { name: 'Staff' })).toContainText('Support');
  await margaret.reload();
  await expect(margaret.getByRole('button', { name: 'Suspend' })).toBeVisible();
  await expect(margaret.getByRole('button', { name: 'Revoke' })).toHaveCount(0);

  await page.getByRole('listitem').filter({ hasText: 'margaret' }).getByRole('button', { name: 'Remove' }).click();
  await page.getByLabel('Type margaret@lab.example to confirm').fill('margaret@lab.example');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('margaret@lab.example is no longer staff.')).toBeVisible();
  await margaret.reload();
  await expect(margaret.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
  await context.close();
});
