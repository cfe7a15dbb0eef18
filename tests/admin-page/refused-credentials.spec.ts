/** Problems that the server finds in an email or a password are shown at the field, in the language of the page. */
import { expect, staffEmail, staffPassword, test } from './staff-fixture.ts';

test.use({ locale: 'de-DE', settings: { LATCHKEY_PASSWORD_MIN_LENGTH: '12' } });

test('the welcome page and the dialogs say in German which rule a password or an email breaks', async ({
  page,
  server,
}) => {
  await page.goto(await server.firstLink());
  const email = page.getByLabel('E-Mail-Adresse');
  const password = page.getByLabel('Passwort', { exact: true });
  await expect(password).toHaveAccessibleDescription(/Mindestens 12 Zeichen/);
  const send = page.getByRole('button', { name: 'Weiter' });
  await email.fill('grace@lab');
  await password.fill('elf zeichen');
  await send.click();
  await expect(password).toHaveAccessibleDescription(/Verwenden Sie mindestens 12 Zeichen/);
  await password.fill('password@123');
  await send.click();
  await expect(email).toHaveAccessibleDescription(/Geben Sie eine E-Mail-Adresse wie/);
  await expect(password).toHaveAccessibleDescription(/Passwort ist sehr weit verbreitet/);
  await expect(page.getByRole('alert')).toHaveText([/Geben Sie eine E-Mail-Adresse/, /sehr weit verbreitet/]);
  await email.fill(staffEmail);
  await expect(password).not.toHaveAccessibleDescription(/weit verbreitet/);
  await password.fill(staffEmail.toUpperCase());
  await send.click();
  await expect(password).toHaveAccessibleDescription(/darf nicht die E-Mail-Adresse sein/);
  await expect(page.getByRole('alert').filter({ hasText: 'password' })).toHaveCount(0);
  await password.fill(staffPassword);
  await send.click();
  await page.getByRole('button', { name: 'Nicht jetzt' }).click();

  await page.goto(`${server.url}/admin#/accounts`);
  await page.getByRole('button', { name: 'Konto erstellen' }).click();
  const dialog = page.getByRole('dialog', { name: 'Konto erstellen' });
  await dialog.getByLabel('E-Mail-Adresse').fill('ada@lab');
  await dialog.getByLabel('Passwort', { exact: true }).fill('kurz');
  await page.keyboard.press('Enter');
  await expect(dialog.getByLabel('E-Mail-Adresse')).toHaveAccessibleDescription(/Geben Sie eine E-Mail-Adresse wie/);
  await expect(dialog.getByLabel('Passwort', { exact: true })).toHaveAccessibleDescription(/mindestens 12 Zeichen/);
  await expect(dialog.getByRole('alert').filter({ hasText: /email|must/ })).toHaveCount(0);
});
