/** A request whose response is lost or late: sent again, the server can tell that it is the same one. */
import { expect, test } from './page-fixture.ts';

test('issuing a license again sends the same Idempotency-Key, until a field is changed', async ({ page, open }) => {
  await open({ hash: '#/licenses', answers: { issueLicense: 'unreachable' } });
  const keys: (string | undefined)[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') keys.push(request.headers()['idempotency-key']);
  });
  await page.getByRole('button', { name: 'Issue license' }).click();
  const dialog = page.getByRole('dialog');
  const issue = async () => {
    await dialog.getByRole('button', { name: 'Issue license' }).click();
    await expect(dialog.getByRole('alert')).toBeVisible();
  };
  await issue();
  await issue();
  await dialog.getByLabel('Plan').selectOption('advanced');
  await issue();
  const [first, second, third] = keys;
  expect(first).toMatch(/^[\d-]{7,43}$/);
  expect(second).toBe(first);
  expect(third).not.toBe(first);
});

test('a dialog stays open until the server has responded, so that the new key is shown', async ({ page, open }) => {
  await open({ hash: '#/licenses', answers: { issueLicense: 'never', replaceLicenseKeyOf: 'never' } });
  await page.getByRole('button', { name: 'Issue license' }).click();
  const form = page.getByRole('dialog');
  await form.getByRole('button', { name: 'Issue license' }).click();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expect(form.getByRole('button', { name: 'Cancel' })).toBeDisabled();

  await page.goto('about:blank');
  await open({ hash: '#/licenses?open=some', answers: { replaceLicenseKeyOf: 'never' } });
  await page.getByRole('button', { name: 'Replace key…' }).click();
  const confirm = page.getByRole('alertdialog');
  await confirm.getByRole('button', { name: 'Replace' }).click();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expect(confirm.getByRole('button', { name: 'Cancel' })).toBeDisabled();
});
