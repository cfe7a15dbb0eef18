/** Staff sign in, and confirm, with a real identity provider. */
import { freePort } from '../harness/free-port.ts';
import { type OidcProvider, openOidcProvider } from '../harness/oidc-provider.ts';
import { test as base, expect, signIn, signOut, staffEmail, staffPassword } from './staff-fixture.ts';

const test = base.extend<{ provider: OidcProvider }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright requires a destructured parameter
  provider: async ({}, use) => {
    const port = await freePort();
    const callbackUrl = `http://localhost:${port}/admin/oidc/callback`;
    const provider = await openOidcProvider({ callbackUrl, hasPage: true });
    provider.letIn({ email: staffEmail, email_verified: true, groups: ['admins'] });
    await use(Object.assign(provider, { settings: { ...provider.settings, LATCHKEY_PORT: `${port}` } }));
    await provider.stop();
  },
  settings: ({ provider }, use) => use(provider.settings),
  otherSites: ({ provider }, use) => use([provider.issuer]),
});

const atProvider = { name: `Sign in as ${staffEmail}` };
const offered = { name: 'Continue with single sign-on' };

test('a member signs in at the provider, and returns to the requested screen', async ({ page, server }) => {
  await page.goto(`${server.url}/admin#/licenses?status=active`);
  await page.getByRole('button', offered).press('Enter');
  await page.getByRole('button', atProvider).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Licenses');
  await expect(page.getByLabel('Status')).toHaveValue('active');
  expect(page.url()).toBe(`${server.url}/admin#/licenses?status=active`);
  expect(await server.admin(['staff', 'list'])).toMatchObject([{ email: staffEmail, role: 'owner' }]);
  await signOut(page);
});

test('a user without a matching group is told so, and can still sign in with a password', async ({
  signedIn: page,
  provider,
}) => {
  await signOut(page);
  provider.letIn({ email: 'eve@lab.example', email_verified: true, groups: ['staff'] });
  await page.getByRole('button', offered).click();
  await page.getByRole('button', { name: 'Sign in as eve@lab.example' }).click();
  await expect(page.getByRole('alert')).toContainText('None of your groups may use this page.');
  await signIn(page, staffEmail, staffPassword);
  await expect(page.getByRole('button', { name: 'Not now' })).toBeVisible();
});

test('while the provider is unavailable, a message says so and the other ways to sign in remain', async ({
  signedIn: page,
  provider,
}) => {
  await signOut(page);
  await provider.stop();
  await page.getByRole('button', offered).click();
  await expect(page.getByRole('alert')).toContainText(
    'The identity provider of your organization does not respond as it should.',
  );
  await signIn(page, staffEmail, staffPassword);
  await expect(page.getByRole('button', { name: 'Not now' })).toBeVisible();
  await provider.start();
});

test('an irreversible action is confirmed at the provider, in a separate window', async ({
  page,
  server,
  provider,
}) => {
  await server.admin(['user', 'create', '--email', 'ada@lab.example', '--password-stdin'], 'quiet harbor lantern 47');
  const [ada] = await server.admin(['user', 'list']);
  await page.goto(`${server.url}/admin#/accounts?open=${ada.id}`);
  await page.getByRole('button', offered).click();
  await page.getByRole('button', atProvider).click();
  await page.getByRole('button', { name: 'Delete account' }).click();
  await page.getByLabel('Type ada@lab.example to confirm').fill('ada@lab.example');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete account' }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm that it’s you' });
  await expect(dialog.getByLabel('Password', { exact: true })).toHaveCount(0);

  provider.letIn({ email: staffEmail, email_verified: true, groups: [] });
  const confirm = async () => {
    const opened = page.waitForEvent('popup');
    await dialog.getByRole('button', { name: 'Use single sign-on' }).click();
    const popup = await opened;
    await popup.getByRole('button', atProvider).click();
    return popup;
  };
  const refused = await confirm();
  await expect(refused.getByRole('alert')).toContainText('None of your groups may use this page.');
  await expect(dialog.getByRole('alert')).toContainText('None of your groups may use this page.');
  await refused.close();

  provider.letIn({ email: staffEmail, email_verified: true, groups: ['admins'] });
  await confirm();
  await expect(page.getByText('ada@lab.example was deleted.')).toBeVisible();
});

test('an ended session is renewed at the provider, while the page stays as it is', async ({ page, server }) => {
  await page.goto(`${server.url}/admin#/accounts`);
  await page.getByRole('button', offered).click();
  await page.getByRole('button', atProvider).click();
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('dialog').getByLabel('Email').fill('ada@lab.example');
  await page.context().clearCookies({ name: 'latchkey_staff' });
  await page.getByRole('dialog').getByRole('button', { name: 'Create account' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  const opened = page.waitForEvent('popup');
  await dialog.getByRole('button', offered).click();
  const popup = await opened;
  await expect.poll(() => popup.isClosed()).toBe(true);
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText('ada@lab.example').first()).toBeVisible();
});
