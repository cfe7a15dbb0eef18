/**
 * The password of the signed-in member of staff: changed in the profile, and reset by a real mail if it was forgotten.
 */
import { test as withMail } from './mail-fixture.ts';
import { expect, signIn, signOut, staffEmail, staffPassword, test } from './staff-fixture.ts';

const newPassword = 'another quiet lantern 12';

test('the password is changed with the current one, and every other session ends', async ({
  signedIn: page,
  server,
  browser,
}) => {
  const other = await browser.newContext();
  const elsewhere = await other.newPage();
  await elsewhere.goto(`${server.url}/admin#/profile`);
  await signIn(elsewhere);
  await elsewhere.getByRole('button', { name: 'Not now' }).click();
  await page.goto(`${server.url}/admin#/profile`);
  await expect(page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')).toHaveCount(2);
  await page.getByRole('button', { name: 'Change password' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Change password' });
  await expect(dialog.getByLabel('Current password')).toBeFocused();
  await page.keyboard.type('not the password');
  await page.keyboard.press('Enter');
  await expect(dialog.getByLabel('New password')).toHaveAccessibleDescription('Enter your password.');
  await dialog.getByLabel('New password').fill('password123');
  await page.keyboard.press('Enter');
  await expect(dialog.getByLabel('Current password')).toHaveAccessibleDescription('This is not your current password.');
  await dialog.getByLabel('Current password').fill(staffPassword);
  await page.keyboard.press('Enter');
  await expect(dialog.getByLabel('New password')).toHaveAccessibleDescription(/one of the most common ones/);
  await dialog.getByLabel('New password').fill(newPassword);
  await page.keyboard.press('Enter');
  await expect(page.getByText('Your password was changed.')).toBeVisible();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')).toHaveCount(1);
  await elsewhere.reload();
  await expect(elsewhere.getByRole('heading', { name: 'Sign in to the admin page' })).toBeVisible();
  await other.close();
  await signOut(page);
  await signIn(page, staffEmail, newPassword);
  await expect(page.getByRole('button', { name: 'Not now' })).toBeVisible();
});

test('without a mail server, the sign-in offers no password reset', async ({ signedIn: page, server }) => {
  const answered = page.waitForResponse(`${server.url}/api/v1/admin/session/options`);
  await signOut(page);
  await answered;
  await expect(page.getByRole('button', { name: 'Forgot password?' })).toHaveCount(0);
});

withMail(
  'a forgotten password is reset by mail, and the page says the same for an unknown address',
  async ({ signedIn: page, smtp }) => {
    await signOut(page);
    const dialog = page.getByRole('dialog', { name: 'Set a new password' });
    for (const address of ['nobody@lab.example', staffEmail]) {
      await page.getByRole('button', { name: 'Forgot password?' }).press('Enter');
      await expect(dialog.getByLabel('Email')).toBeFocused();
      await dialog.getByLabel('Email').fill(address);
      await page.keyboard.press('Enter');
      await expect(dialog.getByRole('status')).toHaveText(
        `If there is an account for ${address}, an email is on its way. Its link works for 30 minutes.`,
      );
      await dialog.getByRole('button', { name: 'Close' }).click();
      await expect(page.getByRole('button', { name: 'Forgot password?' })).toBeFocused();
    }
    const [mail] = await smtp.waitFor(staffEmail);
    expect(mail?.text).toContain('/reset#token=');
    expect(smtp.mails).toHaveLength(1);
  },
);
