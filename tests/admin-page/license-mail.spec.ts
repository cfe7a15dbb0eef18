/** A newly issued key is mailed by a real mail server, if one is configured. */
import { test as withMail } from './mail-fixture.ts';
import { expect, test } from './staff-fixture.ts';
import { userPassword } from './staff-server.ts';

withMail(
  'the owner of a new license gets its key, in the language that was chosen',
  async ({ signedIn: page, server, smtp }) => {
    await server.admin(['user', 'create', '--email', 'ada@lab.example', '--password-stdin'], userPassword);
    await page.goto(`${server.url}/admin#/licenses?new=1`);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email').fill('ada@lab.example');
    await dialog.getByRole('button', { name: 'Issue license' }).click();
    const key = await dialog.getByLabel('License key').innerText();
    await dialog.getByLabel('Language').selectOption('Deutsch');
    await dialog.getByRole('button', { name: 'Send by email' }).click();
    await expect(dialog.getByText('Sent to ada@lab.example.')).toBeVisible();
    const [mail] = await smtp.waitFor('ada@lab.example');
    expect(mail?.subject).toBe('Ihr Lizenzschlüssel');
    expect(mail?.text).toContain(key);
  },
);

withMail(
  'a license without an owner asks for the address, and refuses what is none',
  async ({ signedIn: page, server, smtp }) => {
    await page.goto(`${server.url}/admin#/licenses?new=1`);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Issue license' }).click();
    const key = await dialog.getByLabel('License key').innerText();
    const send = dialog.getByRole('button', { name: 'Send by email' });
    await send.click();
    await expect(dialog.getByText('Enter an email address')).toBeVisible();
    await dialog.getByLabel('Email').fill('bob@lab..example');
    await send.click();
    await expect(dialog.getByLabel('Email')).toHaveAccessibleDescription('Enter an email address such as ada@lab.org.');
    await dialog.getByLabel('Email').fill('bob@lab.example');
    await dialog.getByLabel('Email').press('Enter');
    await expect(dialog.getByText('Sent to bob@lab.example.')).toBeVisible();
    await expect(dialog.getByRole('alert')).toHaveCount(0);
    const [mail] = await smtp.waitFor('bob@lab.example');
    expect(mail?.text).toContain(key);
    await dialog.getByRole('button', { name: 'I have saved it' }).click();
    await expect(dialog).toHaveCount(0);
  },
);

test('a server without mail offers no button to send the key', async ({ signedIn: page, server }) => {
  await page.goto(`${server.url}/admin#/licenses?new=1`);
  const dialog = page.getByRole('dialog');
  const info = page.waitForResponse(/admin\/server$/);
  await dialog.getByRole('button', { name: 'Issue license' }).click();
  await info;
  await expect(dialog.getByRole('button', { name: 'I have saved it' })).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Send by email' })).toHaveCount(0);
});
