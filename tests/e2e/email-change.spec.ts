/** A user changes the email address in the window, and confirms it with the link in a mail. */
import type { Page } from '@playwright/test';
import { mailedLink, test } from './fixtures/mail.ts';
import { expect } from './fixtures/test.ts';
import { goTo, prepareUser, signIn } from './fixtures/user.ts';

test('a user changes the email address with the link that is mailed to the new one', async ({
  desktop,
  server,
  mailServer,
  page: browser,
}) => {
  const user = await prepareUser(server);
  const email = 'countess@lab.example';
  const { page } = desktop;
  await signIn(page, user);
  await goTo(page, 'Settings');
  await page.getByRole('button', { name: 'Change email address' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change email address' });
  await dialog.getByLabel('New email address').fill(email);
  await dialog.getByLabel('Current password').fill('not the password');
  await dialog.getByRole('button', { name: 'Send link' }).click();
  await expect(dialog.getByText('This is not your current password.')).toBeVisible();
  await expect(dialog.getByLabel('Current password')).toHaveAttribute('aria-invalid', 'true');
  expect(mailServer.mails).toEqual([]);

  await dialog.getByLabel('Current password').fill(user.password);
  await dialog.getByRole('button', { name: 'Send link' }).click();
  await expect(dialog.getByRole('status')).toContainText(`A link was sent to ${email}.`);
  await expect(dialog.getByRole('status')).toContainText(`Until then you sign in with ${user.email}.`);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await goTo(page, 'Overview');
  await goTo(page, 'Settings');
  await expect(page.getByText('Confirm your new email address.')).toBeVisible();
  await expect(page.getByText(`A link was sent to ${email}.`)).toBeVisible();
  await expect(accountMenu(page, user.email)).toBeVisible();
  expect((await mailServer.waitFor(user.email))[0]?.text).toContain(email);
  await desktop.restart();
  await goTo(desktop.page, 'Settings');
  await expect(desktop.page.getByText(`A link was sent to ${email}.`)).toBeVisible();

  // A new password voids the link, so that another one is needed.
  const password = 'lantern orchard 77';
  await goTo(desktop.page, 'Settings');
  await desktop.page.getByRole('button', { name: 'Change password' }).click();
  const passwords = desktop.page.getByRole('dialog', { name: 'Change password' });
  await passwords.getByLabel('Current password').fill(user.password);
  await passwords.getByLabel('New password').fill(password);
  await passwords.getByRole('button', { name: 'Change password' }).click();
  await expect(desktop.page.getByText('Your password was changed.')).toBeVisible();
  await expect(desktop.page.getByText('Confirm your new email address.')).toHaveCount(0);
  await desktop.page.getByRole('button', { name: 'Change email address' }).click();
  const again = desktop.page.getByRole('dialog', { name: 'Change email address' });
  await again.getByLabel('New email address').fill(email);
  await again.getByLabel('Current password').fill(password);
  await again.getByRole('button', { name: 'Send link' }).click();
  await again.getByRole('button', { name: 'Close' }).click();
  await expect.poll(() => mailServer.mails.filter(({ to }) => String(to).includes(email)).length).toBe(2);
  await goTo(desktop.page, 'Overview');

  await browser.goto(await mailedLink(mailServer, email));
  await browser.getByRole('button', { name: 'Confirm' }).click();
  await expect(browser.getByRole('alert')).toContainText(`${email} is confirmed.`);
  await comeBack(desktop.page);
  await expect(accountMenu(desktop.page, email)).toBeVisible();
  await expect(desktop.page.getByText(user.email)).toHaveCount(0);
  await expect(desktop.page.getByText('Confirm your new email address.')).toHaveCount(0);

  await desktop.restart();
  await expect(accountMenu(desktop.page, email)).toBeVisible();
});

function accountMenu(page: Page, email: string) {
  return page.getByRole('button', { name: new RegExp(email) });
}

/** The user returns from another program; headless pages never lose the focus. */
async function comeBack(page: Page): Promise<void> {
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
}
