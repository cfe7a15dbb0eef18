/** The window opens, shows its server, and restores the session after a restart. */
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { CertificateAuthority, hasOpenssl } from '../harness/certificate-authority.ts';
import { expect, test } from './fixtures/test.ts';
import { signIn } from './fixtures/user.ts';

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

test('after a mistyped address, also of an earlier start, the default server is used again on request', async ({
  desktop,
  server,
}) => {
  const mistyped = 'https://license.invalid';
  await desktop.page.getByRole('button', { name: 'Use another server' }).click();
  await desktop.page.getByLabel('Server address').fill(mistyped);
  await desktop.page.keyboard.press('Enter');
  await expect(desktop.page.getByText(`Server: ${mistyped}`)).toBeVisible();
  await desktop.restart();
  await desktop.page.getByRole('button', { name: 'Use the default server' }).click();
  await expect(desktop.page.getByText(`Server: ${server.url}`)).toBeVisible();
  await expect(desktop.page.getByRole('button', { name: 'Use the default server' })).toHaveCount(0);
});

const testWithOpenssl = hasOpenssl ? test : null;

testWithOpenssl?.('a sign-in says that the certificate of the server is not trusted', async ({ desktop, folder }) => {
  mkdirSync(join(folder, 'ca'));
  const authority = CertificateAuthority.create(join(folder, 'ca'), '/O=Lab/CN=Lab CA');
  const server = createServer(authority.issue('localhost', Date.now() + 3_600_000));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await desktop.page.getByRole('button', { name: 'Use another server' }).click();
  await desktop.page.getByLabel('Server address').fill(`https://localhost:${(server.address() as AddressInfo).port}`);
  await signIn(desktop.page, { email: 'ada@lab.example', password: 'tangerine ladder 42' });
  await expect(desktop.page.getByRole('alert')).toContainText(
    'This computer does not trust the server’s certificate. Check your network and the server address',
  );
  server.close();
});

test.describe('an app without a preset server', () => {
  test.use({ desktopSettings: { LATCHKEY_SERVER_URL: '', LATCHKEY_ASK_SERVER: '1' } });

  test('asks for the server first, and remembers it', async ({ desktop, server }) => {
    await expect(desktop.page.getByRole('heading', { name: 'Connect to your license server' })).toBeVisible();
    await expect(desktop.page.getByLabel('Email')).toHaveCount(0);
    await desktop.page.getByLabel('Server address').fill(server.url);
    await desktop.page.keyboard.press('Enter');
    await expect(desktop.page.getByRole('heading', { name: /sign in/i })).toBeVisible();
    await desktop.restart();
    await expect(desktop.page.getByText(server.url)).toBeVisible();
  });
});
