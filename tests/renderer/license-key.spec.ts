/** Replacing the key of the account's license in the settings: with the password, and the new key is shown once. */
import type { Page } from '@playwright/test';
import { filledState, sampleFailure } from './sample-states.ts';
import { expect, test } from './window-fixture.ts';

const now = Date.now();
const hash = '#settings';
const licenseKey = 'SVC-9K2M-XW4T-7B3P-Q8YH';

/** Asks for another key with the right password. */
async function replaceKey(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Replace key…' }).click();
  await page.getByLabel('Current password').fill('quiet harbour lantern');
  await page.keyboard.press('Enter');
}

/** Returns a state in which somebody else has signed in. */
function withAnotherUser() {
  const { session } = filledState(now);
  if (session.kind !== 'signed-in') throw new Error('somebody is signed in');
  return { session: { ...session, user: { id: 'u-2', email: 'bob@lab.org', full_name: 'Bob' } } };
}

test('a wrong password replaces nothing, and the right one shows the new key until it is saved', async ({
  page,
  open,
}) => {
  const wrong = { result: { ok: false, failure: sampleFailure('INVALID_CREDENTIALS', now) } } as const;
  const replaced = { result: { ok: true, value: { licenseKey } } } as const;
  const fake = await open(filledState(now), { hash, script: { replaceLicenseKey: [wrong, replaced] } });
  await page.getByRole('button', { name: 'Replace key…' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Replace the license key?' });
  await dialog.getByRole('button', { name: 'Replace key' }).click();
  await expect(dialog.getByLabel('Current password')).toHaveAccessibleDescription('Enter your password.');
  expect(await fake.calls('replaceLicenseKey')).toEqual([]);
  await dialog.getByLabel('Current password').fill('old lantern harbour');
  await page.keyboard.press('Enter');
  await expect(dialog.getByLabel('Current password')).toHaveAccessibleDescription('This is not your current password.');
  await dialog.getByLabel('Current password').fill('quiet harbour lantern');
  await page.keyboard.press('Enter');
  const shown = page.getByRole('dialog', { name: 'Your new license key' });
  await expect(shown.getByRole('status', { name: 'Your new license key' })).toHaveText(licenseKey);
  await shown.getByRole('button', { name: 'Copy' }).click();
  await expect(shown).toContainText('The clipboard is cleared in one minute.');
  expect((await fake.calls('copySecret')).map(({ input }) => input)).toEqual([{ secret: licenseKey }]);
  await page.keyboard.press('Escape');
  await shown.getByRole('button', { name: 'I have saved it' }).click();
  await expect(page.getByText(licenseKey)).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Replace key…' })).toBeFocused();
});

test('no shortcut and no link closes the dialog with the new license key, which is shown only once', async ({
  page,
  open,
}) => {
  const replaced = { result: { ok: true, value: { licenseKey } }, isHeld: true } as const;
  const fake = await open(filledState(now), { hash, script: { replaceLicenseKey: [replaced] } });
  await replaceKey(page);
  // While the server has not answered yet, and afterwards.
  await page.keyboard.press('Control+1');
  const title = page.getByRole('heading', { level: 1, includeHidden: true });
  await expect(title).toHaveText('Overview');
  await fake.release();
  const shown = page.getByRole('dialog', { name: 'Your new license key' });
  await expect(shown).toContainText(licenseKey);
  await page.keyboard.press('Control+3');
  await expect(title).toHaveText('Devices');
  await fake.open({ kind: 'place', id: 'r-1', place: 'features' });
  await expect(title).toHaveText('Features');
  await page.goBack();
  await expect(title).toHaveText('Devices');
  await expect(shown).toContainText(licenseKey);
  await shown.getByRole('button', { name: 'I have saved it' }).click();
  await expect(page.getByText(licenseKey)).toHaveCount(0);
});

test('a revoked license keeps its key, and a server without account management offers no replacement', async ({
  page,
  open,
}) => {
  const state = filledState(now);
  const { session } = state;
  if (session.kind !== 'signed-in' || !session.account?.license) throw new Error('the sample has a license');
  const { account } = session;
  const revoked = { ...account, license: { ...session.account.license, status: 'revoked' } };
  const fake = await open({ ...state, session: { ...session, account: revoked } }, { hash });
  await expect(page.getByText('A revoked license keeps its key.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Replace key…' })).toHaveCount(0);
  await fake.push({ server: { ...state.server, accountManagement: 'missing' } });
  await expect(page.getByText('A revoked license keeps its key.')).toHaveCount(0);
});

test('a user who signs in on the command line sees nothing of the previous user’s new key', async ({ page, open }) => {
  const replaced = { result: { ok: true, value: { licenseKey } } } as const;
  const fake = await open(filledState(now), { hash, script: { replaceLicenseKey: [replaced] } });
  await replaceKey(page);
  await expect(page.getByRole('status', { name: 'Your new license key' })).toHaveText(licenseKey);
  await fake.push(withAnotherUser());
  await expect(page.getByText(licenseKey)).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Replace key…' })).toBeVisible();
});

test('a new key that arrives after a sign-out is not shown to the next user', async ({ page, open }) => {
  const replaced = { result: { ok: true, value: { licenseKey } }, isHeld: true } as const;
  const fake = await open(filledState(now), { hash, script: { replaceLicenseKey: [replaced] } });
  await replaceKey(page);
  await fake.push(withAnotherUser());
  await fake.release();
  await page.getByRole('button', { name: 'Replace key…' }).click();
  await expect(page.getByLabel('Current password')).toBeVisible();
  await expect(page.getByText(licenseKey)).toHaveCount(0);
});

test('a new key that arrives while the next user is replacing theirs is not shown to them', async ({ page, open }) => {
  const replaced = { result: { ok: true, value: { licenseKey } }, isHeld: true } as const;
  const fake = await open(filledState(now), { hash, script: { replaceLicenseKey: [replaced] } });
  await replaceKey(page);
  await fake.push(withAnotherUser());
  await page.getByRole('button', { name: 'Replace key…' }).click();
  await fake.release();
  await expect(page.getByLabel('Current password')).toBeVisible();
  await expect(page.getByText(licenseKey)).toHaveCount(0);
});
