/** Sign-up by invitation, from the admin page to the first sign-in on the account page, against a real server. */
import { test as withMail } from './mail-fixture.ts';
import { expect, test } from './staff-fixture.ts';
import { userPassword } from './staff-server.ts';

test.describe('when accounts are by invitation', () => {
  test.use({ settings: { LATCHKEY_SIGN_UP: 'invited' } });

  test('an invited user chooses a password with the link, once, and signs in', async ({
    signedIn: page,
    server,
    browser,
  }) => {
    await page.getByRole('link', { name: 'Accounts' }).click();
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email').fill('ada@lab.example');
    await dialog.getByLabel('Full name').fill('Ada W.');
    await dialog.getByLabel('Plan').selectOption('Standard');
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
    const link = await dialog.getByLabel('Invitation link').innerText();
    expect(link).toMatch(new RegExp(`^${server.url}/invitation#token=[\\w-]{43}$`));
    await expect(dialog.getByRole('button', { name: 'Copy' })).toBeVisible();
    await expect(dialog.getByRole('button', { name: 'Send by email' })).toHaveCount(0);
    await dialog.getByRole('button', { name: 'I have saved it' }).click();
    await expect(page.getByRole('heading', { name: 'ada@lab.example' })).toBeVisible();
    await expect(page.getByText(link)).toHaveCount(0);

    const guest = await (await browser.newContext()).newPage();
    await guest.goto(link);
    await expect(guest.getByRole('heading', { name: 'Choose a password' })).toBeVisible();
    expect(guest.url()).toBe(`${server.url}/invitation`);
    await guest.getByLabel('Password').fill('short');
    await guest.getByRole('button', { name: 'Set password' }).click();
    await expect(guest.getByRole('alert')).toContainText('This password cannot be used.');
    await guest.getByLabel('Password').fill(userPassword);
    await guest.getByRole('button', { name: 'Set password' }).click();
    await expect(guest.getByRole('alert')).toContainText('Your account is ready.');

    await guest.goto(`${server.url}/account`);
    await guest.getByLabel('Email').fill('ada@lab.example');
    await guest.getByLabel('Password', { exact: true }).fill(userPassword);
    await guest.getByRole('button', { name: 'Sign in' }).click();
    await expect(guest.getByRole('heading', { name: 'Your account', exact: true })).toBeVisible();

    await guest.goto(link);
    await expect(guest.getByRole('alert')).toContainText('This invitation is no longer valid.');
    await expect(guest.getByRole('alert')).toContainText('ask the person who invited you for a new invitation');
    await expect(guest.getByLabel('Password')).toBeHidden();
    await guest.context().close();
  });
});

test('an account with a password is not invited, and the dialog says so', async ({ signedIn: page, server }) => {
  await server.admin(['user', 'create', '--email', 'ada@lab.example', '--password-stdin'], userPassword);
  await page.goto(`${server.url}/admin#/accounts?new=invitation`);
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Email').fill('ada@lab.example');
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
  await expect(dialog.getByRole('alert')).toContainText('This account has a password already');
});

withMail('the link is mailed while it is shown', async ({ signedIn: page, server, smtp }) => {
  await page.goto(`${server.url}/admin#/accounts?new=invitation`);
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Email').fill('bob@lab.example');
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
  const link = await dialog.getByLabel('Invitation link').innerText();
  await dialog.getByRole('button', { name: 'Send by email' }).click();
  await expect(dialog.getByText('Sent to bob@lab.example.')).toBeVisible();
  const [mail] = await smtp.waitFor('bob@lab.example');
  expect(mail?.text).toContain(link);
});
