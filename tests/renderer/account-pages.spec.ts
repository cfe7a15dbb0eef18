/** The pages that links in mails lead to: their script runs under their own policy, and the token leaves the address. */
import { expect, type Page, test } from '@playwright/test';
import { createConfirmPage } from '../../server/mail-pages/confirm-page.ts';
import { createMailPage } from '../../server/mail-pages/mail-page.ts';
import { createResetPage } from '../../server/mail-pages/reset-page.ts';
import type { Language } from '../../shared/ipc/language.ts';

const site = 'https://licenses.example.com';

type Answer = { readonly status: number; readonly body: object };

/** Serves the page as the server does; the API gives the answers in order. Returns what it was sent. */
async function openPage(page: Page, path: '/reset' | '/confirm', language: Language, answers: readonly Answer[]) {
  const sent: unknown[] = [];
  const description = path === '/reset' ? createResetPage(language, 8) : createConfirmPage(language);
  const { html, policy } = createMailPage(description);
  await page.route(`${site}/**`, async (route) => {
    if (new URL(route.request().url()).pathname === path) {
      const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy };
      return route.fulfill({ headers, body: html });
    }
    sent.push(route.request().postDataJSON());
    const { status, body } = answers[sent.length - 1] ?? { status: 500, body: {} };
    return route.fulfill({ status, json: body });
  });
  await page.goto(`${site}${path}#token=secret-1`);
  return sent;
}

test('a new password is set, after one that the server refused', async ({ page }) => {
  const sent = await openPage(page, '/reset', 'en', [
    { status: 400, body: { error: 'password is too short', code: 'VALIDATION_ERROR' } },
    { status: 200, body: { success: true } },
  ]);
  expect(page.url()).toBe(`${site}/reset`);
  await page.getByLabel('New password').fill('abc');
  await page.getByRole('button', { name: 'Set password' }).click();
  await expect(page.getByRole('alert')).toContainText('This password cannot be used.');
  await page.getByLabel('New password').fill('another quiet lantern 12');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toContainText('Your password was changed.');
  await expect(page.getByLabel('New password')).toBeHidden();
  expect(sent.at(-1)).toEqual({ token: 'secret-1', new_password: 'another quiet lantern 12' });
});

for (const [language, text] of [
  ['de', 'Dieser Link ist nicht mehr gültig.'],
  ['ja', 'このリンクは無効です。'],
] as const) {
  test(`a link that is no longer valid says so: ${language}`, async ({ page }) => {
    await openPage(page, '/reset', language, [{ status: 401, body: { error: 'used', code: 'INVALID_TOKEN' } }]);
    await page.locator('input').fill('another quiet lantern 12');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('alert')).toContainText(text);
  });
}

test('an address is confirmed by the button, not by opening the page', async ({ page }) => {
  const body = { success: true, email: 'ada@lab.org' };
  const sent = await openPage(page, '/confirm', 'en', [{ status: 200, body }]);
  expect(page.url()).toBe(`${site}/confirm`);
  await expect(page.getByRole('button', { name: 'Confirm' })).toBeVisible();
  expect(sent).toEqual([]);
  await page.getByRole('button', { name: 'Confirm' }).click();
  await expect(page.getByRole('alert')).toContainText('ada@lab.org is confirmed.');
  expect(sent).toEqual([{ token: 'secret-1' }]);
});
