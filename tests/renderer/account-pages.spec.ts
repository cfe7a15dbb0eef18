/**
 * The pages that mailed links lead to: their script runs under their own policy, and the token is removed from the
 * address.
 */
import { expect, type Page, test } from '@playwright/test';
import { createConfirmPage } from '../../server/mail-pages/confirm-page.ts';
import { createMailPage } from '../../server/mail-pages/mail-page.ts';
import { createInvitationPage, createResetPage } from '../../server/mail-pages/password-page.ts';
import type { Language } from '../../shared/ipc/language.ts';

const site = 'https://licenses.example.com';

const pages = {
  '/reset': (language: Language) => createResetPage(language, 8),
  '/invitation': (language: Language) => createInvitationPage(language, 8),
  '/confirm': createConfirmPage,
};

type Answer = { readonly status: number; readonly body: object };

/**
 * Serves the page as the server does, with an API that gives the answers in order. Returns the requests it received.
 */
async function openPage(page: Page, path: keyof typeof pages, language: Language, answers: readonly Answer[]) {
  const sent: unknown[] = [];
  const { html, policy } = createMailPage(pages[path](language));
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

test('a new password is set after the server rejected one', async ({ page }) => {
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
  // A $ is an ordinary character in an address.
  const body = { success: true, email: "ada$&$'@lab.org" };
  const sent = await openPage(page, '/confirm', 'en', [{ status: 200, body }]);
  expect(page.url()).toBe(`${site}/confirm`);
  await expect(page.getByRole('button', { name: 'Confirm' })).toBeVisible();
  expect(sent).toEqual([]);
  await page.getByRole('button', { name: 'Confirm' }).click();
  await expect(page.getByRole('alert')).toContainText("ada$&$'@lab.org is confirmed.");
  expect(sent).toEqual([{ token: 'secret-1' }]);
});

const refusedPassword = { status: 400, body: { error: 'password is too short', code: 'VALIDATION_ERROR' } };
const usedLink = { status: 401, body: { error: 'used', code: 'INVALID_TOKEN' } };

test('an invitation asks for a password, and does not complain before one is sent', async ({ page }) => {
  const sent = await openPage(page, '/invitation', 'en', [refusedPassword, { status: 200, body: { success: true } }]);
  expect(page.url()).toBe(`${site}/invitation`);
  await expect.poll(() => sent).toEqual([{ token: 'secret-1', new_password: '' }]);
  await expect(page.getByRole('alert')).toHaveCount(0);
  await page.getByLabel('Password').fill('another quiet lantern 12');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toContainText('Your account is ready.');
  expect(sent.at(-1)).toEqual({ token: 'secret-1', new_password: 'another quiet lantern 12' });
});

for (const [language, text] of [
  ['en', 'ask the person who invited you for a new invitation'],
  ['de', 'bitten Sie die Person, die Sie eingeladen hat'],
  ['ja', '招待した方に新しい招待を依頼してください'],
] as const) {
  test(`an invitation that is no longer valid says immediately what to do: ${language}`, async ({ page }) => {
    await openPage(page, '/invitation', language, [usedLink]);
    await expect(page.getByRole('alert')).toContainText(text);
    await expect(page.locator('input')).toBeHidden();
  });
}

test('an invitation that expires while its page is open says so too', async ({ page }) => {
  const sent = await openPage(page, '/invitation', 'en', [refusedPassword, usedLink]);
  await expect.poll(() => sent).toHaveLength(1);
  await page.getByLabel('Password').fill('another quiet lantern 12');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toContainText('This invitation is no longer valid.');
});

test('an invitation without its token is no longer valid', async ({ page }) => {
  const sent = await openPage(page, '/invitation', 'en', []);
  await expect.poll(() => sent).toHaveLength(1);
  await page.goto('about:blank');
  await page.goto(`${site}/invitation`);
  await expect(page.getByRole('alert')).toContainText('This invitation is no longer valid.');
  expect(sent).toHaveLength(1);
});
