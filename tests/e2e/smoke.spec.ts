/** The window opens, shows its server, and restores the session after a restart. */
import { expect, test } from './fixtures/test.ts';

test('the window opens with the sign-in form and shows its server', async ({ desktop, server }) => {
  await expect(desktop.page.getByRole('heading', { name: /sign in/i })).toBeVisible();
  await expect(desktop.page.getByText(server.url)).toBeVisible();
});

test('a user signs in, and is still signed in after a restart', async ({ desktop, server }) => {
  await server.admin(['user', 'create', '--email', 'ada@example.org', '--password-stdin'], 'correct horse battery');
  await desktop.page.getByLabel('Email').fill('ada@example.org');
  await desktop.page.getByLabel('Password', { exact: true }).fill('correct horse battery');
  await desktop.page.getByRole('button', { name: 'Sign in' }).click();
  await expect(desktop.page.getByRole('status', { name: 'License state' })).toBeVisible();
  await desktop.restart();
  await expect(desktop.page.getByRole('status', { name: 'License state' })).toBeVisible();
});
