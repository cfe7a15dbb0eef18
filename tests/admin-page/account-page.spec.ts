/** The account page of a real server: what users do with their account without the app. */
import { readFileSync } from 'node:fs';
import { test as base, expect, type Page } from '@playwright/test';
import { makeTemporaryFolder, removeFolder } from '../harness/temporary-folder.ts';
import { findCutText } from '../run/find-cut-text.ts';
import { findSerious } from '../run/find-serious.ts';
import { findUntranslated, markFormatted } from '../run/find-untranslated.ts';
import { chooseScenes } from '../run/long-tests.ts';
import { servePseudoLocale } from '../run/pseudo-locale.ts';
import { readTextSize, setTextSize } from '../run/text-size.ts';
import { watchForProblems } from './page-fixture.ts';
import {
  activate,
  openStaffServer,
  type SeededUser,
  type StaffServer,
  userPassword,
  validate,
} from './staff-server.ts';

type Fixtures = { readonly user: SeededUser; readonly signedIn: Page };

const test = base.extend<Fixtures, { readonly server: StaffServer }>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright requires a destructured parameter
    async ({}, use) => {
      const folder = makeTemporaryFolder();
      const server = await openStaffServer(folder);
      await use(server);
      await server.stop();
      removeFolder(folder);
    },
    { scope: 'worker' },
  ],
  user: async ({ server }, use, { testId }) => use(await server.seedUser(`ada.${testId}@lab.example`)),
  signedIn: async ({ page, server, user }, use) => {
    const problems = watchForProblems(page, server.url);
    await signIn(page, server, user);
    await use(page);
    expect(problems).toEqual([]);
  },
});

async function signIn(page: Page, server: StaffServer, { email }: SeededUser, password = userPassword): Promise<void> {
  await page.goto(`${server.url}/account`);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { name: 'Your account', exact: true })).toBeVisible();
}

function region(page: Page, name: string) {
  return page.getByRole('region', { name, exact: true });
}

test('a wrong password is rejected, and the session is a cookie that no script can read', async ({
  page,
  server,
  user,
  context,
}) => {
  await page.goto(`${server.url}/account`);
  await page.getByLabel('Email').fill(user.email);
  await page.getByLabel('Password', { exact: true }).fill('not the password');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toContainText('The email or password is incorrect.');
  await page.getByLabel('Password', { exact: true }).fill(userPassword);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Your account', exact: true })).toBeVisible();
  const [cookie] = await context.cookies();
  expect(cookie).toMatchObject({ name: 'latchkey_account', httpOnly: true, sameSite: 'Strict', path: '/' });
  expect(await page.evaluate(() => document.cookie)).toBe('');
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Your account', exact: true })).toBeVisible();
  await page.getByRole('button', { name: user.email }).click();
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Sign in to your account' })).toBeVisible();
  expect(await context.cookies()).toEqual([]);
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Sign in to your account' })).toBeVisible();
});

test('a server without mail has no "Forgot password?", and no panel to change the address', async ({
  page,
  server,
  user,
}) => {
  await page.goto(`${server.url}/account`);
  await expect(page.getByRole('heading', { name: 'Sign in to your account' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Forgot password?' })).toHaveCount(0);
  await signIn(page, server, user);
  await expect(region(page, 'Password')).toBeVisible();
  await expect(region(page, 'Email')).toHaveCount(0);
});

test('a proxy whose server is down is named, at the start and at the sign-in, until the server is back', async ({
  page,
  server,
  user,
}) => {
  const calls = `${server.url}/api/v1/**`;
  const answerInstead = () => page.route(calls, (route) => route.fulfill({ status: 502, contentType: 'text/html' }));
  const alert = page.getByRole('alert');
  const named = 'Could not reach the server. Something in front of the server responded with status 502';
  await answerInstead();
  await page.goto(`${server.url}/account`);
  await expect(alert).toContainText(named);
  await page.unroute(calls);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByLabel('Email').fill(user.email);
  await page.getByLabel('Password', { exact: true }).fill(userPassword);
  await answerInstead();
  await page.keyboard.press('Enter');
  await expect(alert).toContainText(named);
  await page.unroute(calls);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Your account', exact: true })).toBeVisible();
});

test('a redirect in front of the server is named with what helps, and keeps what was typed', async ({
  page,
  server,
  user,
}) => {
  await page.goto(`${server.url}/account`);
  await page.getByLabel('Email').fill(user.email);
  await page.getByLabel('Password', { exact: true }).fill(userPassword);
  const calls = `${server.url}/api/v1/**`;
  const headers = { location: 'https://sign-in.example/' };
  await page.route(calls, (route) => route.fulfill({ status: 302, headers }));
  await page.keyboard.press('Enter');
  const alert = page.getByRole('alert');
  await expect(alert).toContainText('Could not reach the server. The request was redirected');
  await expect(alert).toContainText('Open this page in another tab, sign in there, then try again here.');
  await page.unroute(calls);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Your account', exact: true })).toBeVisible();
});

test('a lost device can be released', async ({ signedIn: page }) => {
  const devices = page.getByRole('list', { name: 'Devices', exact: true });
  await devices.getByRole('listitem', { name: 'Studio Mac' }).getByRole('button', { name: 'Release' }).click();
  const dialog = page.getByRole('alertdialog');
  await dialog.getByRole('button', { name: 'Release' }).click();
  await expect(page.getByText('No devices activated yet.')).toBeVisible();
});

test('a license key is replaced with only the password; the new one is shown once, and devices stay active', async ({
  signedIn: page,
  server,
  user,
}) => {
  const license = region(page, 'License');
  await license.getByRole('button', { name: 'Replace key…' }).press('Enter');
  const dialog = page.getByRole('alertdialog', { name: 'Replace the license key?' });
  await expect(dialog.getByLabel('Current password')).toBeFocused();
  await page.keyboard.type('not the password');
  await page.keyboard.press('Enter');
  await expect(dialog.getByLabel('Current password')).toHaveAccessibleDescription('This is not your current password.');
  expect(await validate(server.url, user)).toMatchObject({ valid: true });
  await dialog.getByLabel('Current password').fill(userPassword);
  await page.keyboard.press('Enter');
  const shown = page.getByRole('dialog', { name: 'Your new license key' });
  const licenseKey = await shown.getByRole('status', { name: 'Your new license key' }).innerText();
  await page.keyboard.press('Escape');
  await expect(shown).toBeVisible();
  await shown.getByRole('button', { name: 'Copy' }).click();
  await expect(shown.getByText('Copied.')).toBeVisible();
  await shown.getByRole('button', { name: 'I have saved it' }).click();
  await expect(license).toContainText(licenseKey.slice(-4));
  expect(await page.content()).not.toContain(licenseKey);
  expect(await validate(server.url, user)).toMatchObject({ valid: false, code: 'LICENSE_NOT_FOUND' });
  expect(await validate(server.url, { ...user, licenseKey })).toMatchObject({
    valid: true,
    already_activated_on_device: true,
  });
});

test('an API key can be generated, copied and replaced', async ({ signedIn: page }) => {
  const section = region(page, 'API key');
  await section.getByRole('button', { name: 'Generate API key' }).click();
  const first = await section.getByRole('status').innerText();
  expect(first).toMatch(/^svc_live_/);
  await section.getByRole('button', { name: 'I have saved it' }).click();
  await expect(section.getByText(first)).toHaveCount(0);
  await page.reload();
  await section.getByRole('button', { name: 'Replace key' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Replace' }).click();
  await expect(section.getByRole('status')).not.toHaveText(first);
});

test('a tab follows a sign-in of another user and a sign-out in another tab', async ({
  signedIn: page,
  server,
  user,
  context,
}, { testId }) => {
  const other = await server.seedUser(`grace.${testId}@lab.example`);
  const section = region(page, 'API key');
  await section.getByRole('button', { name: 'Generate API key' }).click();
  const key = await section.getByRole('status').innerText();
  const elsewhere = await context.newPage();
  await elsewhere.goto(`${server.url}/account`);
  await elsewhere.getByRole('button', { name: user.email }).click();
  await elsewhere.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Sign in to your account' })).toBeVisible();
  await signIn(elsewhere, server, other);
  await expect(page.getByRole('button', { name: other.email })).toBeVisible();
  await expect(page.getByText(user.email)).toHaveCount(0);
  await expect(page.getByText(key)).toHaveCount(0);
  await expect(region(page, 'Devices').getByRole('listitem')).toHaveCount(1);
});

test('a late response for one user is not shown to the next one', async ({ signedIn: page, server, user }, {
  testId,
}) => {
  const other = await server.seedUser(`grace.${testId}@lab.example`);
  const devices = region(page, 'Devices');
  await expect(devices.getByRole('listitem')).toHaveCount(1);
  await activate(server.url, user.email, user.licenseKey, 'Secret Lab');
  const late = Promise.withResolvers<void>();
  await page.route(
    '**/api/v1/license/activations',
    async (route) => {
      const response = await route.fetch();
      await late.promise;
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  await devices.getByRole('button', { name: 'Reload' }).click();
  await page.getByRole('button', { name: user.email }).click();
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
  await page.getByLabel('Email').fill(other.email);
  await page.getByLabel('Password', { exact: true }).fill(userPassword);
  await page.keyboard.press('Enter');
  await expect(devices.getByRole('listitem')).toHaveCount(1);
  await page.evaluate(() => {
    const look = () => {
      if (document.body.innerText.includes('Secret Lab')) document.title = 'Secret Lab was shown';
    };
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
  });
  const answered = page.waitForResponse('**/api/v1/license/activations');
  late.resolve();
  await answered;
  // The page receives this response after the late one.
  await activate(server.url, other.email, other.licenseKey, 'Second Lab');
  await devices.getByRole('button', { name: 'Reload' }).click();
  await expect(devices.getByText('Second Lab')).toBeVisible();
  expect(await page.title()).not.toBe('Secret Lab was shown');
});

test('another session can be ended, and all of them, including this one, from the menu', async ({
  signedIn: page,
  server,
  user,
  browser,
}) => {
  const other = await browser.newContext();
  const elsewhere = await other.newPage();
  await signIn(elsewhere, server, user);
  await page.reload();
  const sessions = page.getByRole('list', { name: 'Sessions' });
  await expect(sessions.getByRole('listitem').filter({ hasText: 'this session' })).toHaveCount(1);
  const browsers = sessions.getByRole('listitem', { name: /Chrome/ }).filter({ hasNotText: 'this session' });
  await browsers.getByRole('button', { name: 'End', exact: true }).click();
  await expect(browsers).toHaveCount(0);
  await elsewhere.getByRole('button', { name: 'Reload' }).click();
  await expect(elsewhere.getByText(/You were signed out/)).toBeVisible();
  await signIn(elsewhere, server, user);
  await page.getByRole('button', { name: user.email }).click();
  await page.getByRole('menuitem', { name: 'Sign out on all devices' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in to your account' })).toBeVisible();
  await elsewhere.reload();
  await expect(elsewhere.getByRole('heading', { name: 'Sign in to your account' })).toBeVisible();
  await other.close();
});

test('changing the password ends every other session and keeps this one', async ({ signedIn: page, server, user }) => {
  await region(page, 'Password').getByRole('button', { name: 'Change password' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change password' });
  await dialog.getByLabel('Current password').fill(userPassword);
  await dialog.getByLabel('New password').fill('another quiet lantern 12');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Your password was changed.')).toBeVisible();
  await expect(page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')).toHaveCount(1);
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Your account', exact: true })).toBeVisible();
  await page.context().clearCookies();
  await signIn(page, server, user, 'another quiet lantern 12');
});

test('a new password ends the wait for a link to another address, which it voids', async ({ signedIn: page, user }) => {
  // As from a server with mail.
  await page.route('**/api/v1/auth/email', (route) => {
    const status = { email: user.email, confirmation_needed: false };
    return route.fulfill({ json: route.request().method() === 'GET' ? status : { success: true } });
  });
  await page.reload();
  await page.getByRole('button', { name: 'Change email address' }).click();
  const email = page.getByRole('dialog', { name: 'Change email address' });
  await email.getByLabel('New email address').fill('countess@lab.example');
  await email.getByLabel('Current password').fill(userPassword);
  await email.getByRole('button', { name: 'Send link' }).click();
  await email.getByRole('button', { name: 'Close' }).click();
  const waiting = page.getByText('Confirm your new email address.');
  await expect(waiting).toBeVisible();
  await page.getByRole('button', { name: 'Change password' }).click();
  const password = page.getByRole('dialog', { name: 'Change password' });
  await password.getByLabel('Current password').fill(userPassword);
  await password.getByLabel('New password').fill('another quiet lantern 12');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Your password was changed.')).toBeVisible();
  await expect(waiting).toHaveCount(0);
});

test('the data can be exported, and the account deleted', async ({ signedIn: page, user }) => {
  const data = region(page, 'Your data');
  const downloading = page.waitForEvent('download');
  await data.getByRole('button', { name: 'Export', exact: true }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toMatch(/^latchkey-account-\d{4}-\d\d-\d\d\.json$/);
  expect(JSON.parse(readFileSync(await download.path(), 'utf8')).account.email).toBe(user.email);
  await data.getByRole('button', { name: 'Delete account…' }).click();
  const dialog = page.getByRole('alertdialog');
  await dialog.getByLabel('Current password').fill(userPassword);
  await dialog.getByRole('button', { name: 'Delete account' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in to your account' })).toBeVisible();
  await expect(page.getByText('Your account was deleted.')).toBeVisible();
});

test('a custom feature has its own text in the language of the page, and a hidden one is not shown', async ({
  signedIn: page,
  server,
}) => {
  await server.admin(['feature', 'set', 'night_mode', '--title', 'Night mode', '--does', 'Dims the lights.']);
  await server.admin(['feature', 'set', 'night_mode', '--title', 'Nachtmodus', '--lang', 'de']);
  await server.admin(['feature', 'set', 'csv_export', '--hidden', 'true']);
  await page.reload();
  const features = page.getByRole('list', { name: 'Features' });
  await expect(features.getByRole('listitem', { name: 'Night mode' })).toContainText('Not part of the Standard plan');
  await expect(features.getByRole('listitem', { name: 'CSV export' })).toHaveCount(0);
  await page.getByLabel('Language').selectOption('Deutsch');
  await expect(page.getByRole('heading', { name: 'Ihr Konto' })).toBeVisible();
  await expect(page.getByRole('listitem', { name: 'Nachtmodus' })).toBeVisible();
  await server.admin(['feature', 'remove', 'night_mode']);
  await server.admin(['feature', 'set', 'csv_export', '--hidden', 'false']);
});

test('in the pseudo-locale everything is translated and nothing is cut off, also in a narrow window and with large text', async ({
  signedIn: page,
  user,
}) => {
  await servePseudoLocale(page);
  await markFormatted(page);
  await page.getByLabel('Language').selectOption('Deutsch');
  await page.reload();
  // The devices and the sessions, which the page loads after it has opened.
  await expect(page.getByRole('listitem', { name: /^(Studio Mac|Chrome|node)/ })).toHaveCount(3);
  expect(await findUntranslated(page, [user, 'Studio Mac', 'macOS arm64', 'Chrome', 'Linux', 'node'])).toEqual([]);
  for (const { width, textSize } of [
    { width: 1280, textSize: 1 },
    { width: 400, textSize: 1 },
    { width: 1080, textSize: 2 },
  ]) {
    await page.setViewportSize({ width, height: 4000 });
    await setTextSize(page, textSize);
    expect(await readTextSize(page)).toBe(textSize);
    expect(await findCutText(page), `${width} px wide, text at ${textSize * 100} %`).toEqual([]);
  }
  const pictures = process.env.LATCHKEY_TEST_PICTURES;
  if (pictures !== undefined) await page.screenshot({ path: `${pictures}/account-pseudo.png` });
});

const scenes = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [1280, 400].map((width) => ({ colorScheme, width })),
);
for (const { colorScheme, width } of chooseScenes(scenes)) {
  test(`axe finds nothing serious, and nothing is cut off: ${colorScheme}, ${width} px`, async ({
    page,
    server,
    user,
  }) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`${server.url}/account`);
    expect(await findSerious(page)).toEqual([]);
    await activate(server.url, user.email, user.licenseKey, 'A workstation with a very long name in the basement');
    await signIn(page, server, user);
    await expect(page.getByRole('list', { name: 'Devices', exact: true }).getByRole('listitem')).toHaveCount(2);
    expect(await findSerious(page)).toEqual([]);
    const overflow = await page.evaluate(() => {
      const content = document.getElementById('content');
      return (content?.scrollWidth ?? 0) - (content?.clientWidth ?? 0);
    });
    expect(overflow).toBeLessThanOrEqual(0);
    const pictures = process.env.LATCHKEY_TEST_PICTURES;
    if (pictures !== undefined) {
      await page.setViewportSize({ width, height: 2600 });
      await page.screenshot({ path: `${pictures}/account-${colorScheme}-${width}.png` });
    }
  });
}
