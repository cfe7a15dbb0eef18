/**
 * Below a path of a site with other pages: the admin page, the account page and the page of a mailed link, in a
 * browser.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test as base, type Page } from '@playwright/test';
import { findProgram } from '../harness/find-program.ts';
import { freePort } from '../harness/free-port.ts';
import {
  type PathMode,
  type ProxyKind,
  pathModes,
  proxyKinds,
  type ReverseProxy,
  startProxy,
} from '../harness/reverse-proxy.ts';
import { SmtpServer } from '../harness/smtp-server.ts';
import { makeTemporaryFolder, removeFolder } from '../harness/temporary-folder.ts';
import { addAuthenticator, expect, signIn, signOut, staffEmail, staffPassword } from './staff-fixture.ts';
import { openStaffServer, type StaffServer } from './staff-server.ts';

const newPassword = 'another quiet lantern 12';

type InFront = { readonly kind: ProxyKind; readonly path: PathMode };

type Fixtures = {
  /** The proxy in front of the server. Without one, the browser connects to the server directly, over plain HTTP. */
  readonly inFront: InFront | undefined;
  readonly smtp: SmtpServer;
  readonly port: number;
  /** `https://localhost:PORT/latchkey` */
  readonly siteUrl: string;
  readonly server: StaffServer;
};

const test = base.extend<Fixtures>({
  ignoreHTTPSErrors: true,
  inFront: [undefined, { option: true }],
  // biome-ignore lint/correctness/noEmptyPattern: Playwright requires a destructured parameter
  smtp: async ({}, use) => {
    const smtp = new SmtpServer();
    await smtp.start();
    await use(smtp);
    await smtp.stop();
  },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright requires a destructured parameter
  port: async ({}, use) => use(await freePort()),
  siteUrl: ({ inFront, port }, use) => use(`http${inFront ? 's' : ''}://localhost:${port}/latchkey`),
  server: async ({ inFront, port, siteUrl, smtp }, use) => {
    const folder = makeTemporaryFolder();
    const server = await openStaffServer(folder, {
      LATCHKEY_PUBLIC_URL: siteUrl,
      LATCHKEY_SMTP_URL: smtp.url,
      ...(inFront ? { LATCHKEY_TRUST_PROXY: '1' } : { LATCHKEY_PORT: `${port}` }),
    });
    const proxy = inFront && (await startInFront(inFront, { upstream: server.url, folder, port }));
    await use(server);
    await proxy?.stop();
    await server.stop();
    removeFolder(folder);
  },
  page: async ({ page, siteUrl }, use) => {
    const elsewhere: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(`${siteUrl}/`)) elsewhere.push(request.url());
    });
    await use(page);
    expect(elsewhere).toEqual([]);
  },
});

async function startInFront(
  { kind, path }: InFront,
  options: { readonly upstream: string; readonly folder: string; readonly port: number },
): Promise<ReverseProxy> {
  const folder = join(options.folder, 'proxy');
  mkdirSync(folder);
  return startProxy(kind, { ...options, program: findProgram(kind) ?? '', folder, path });
}

async function becomeFirstAdmin(page: Page, server: StaffServer, siteUrl: string): Promise<void> {
  const link = await server.firstLink();
  expect(link).toContain(`${siteUrl}/admin#/welcome?token=`);
  await page.goto(link);
  await page.getByLabel('Email').fill(staffEmail);
  await page.getByLabel('Password', { exact: true }).fill(staffPassword);
  await page.getByRole('button', { name: 'Continue' }).click();
}

for (const [kind, path] of proxyKinds.flatMap((each) => pathModes.map((mode) => [each, mode] as const))) {
  test.describe(`behind ${kind}, which ${path}s the path`, () => {
    test.skip(findProgram(kind) === undefined, `${kind} is not installed`);
    test.use({ inFront: { kind, path } });

    test('the first administrator signs in, with a cookie that is not sent to the rest of the site', async ({
      page,
      server,
      siteUrl,
      context,
    }) => {
      await becomeFirstAdmin(page, server, siteUrl);
      await page.getByRole('button', { name: 'Not now' }).click();
      await page.goto(`${siteUrl}/admin/`);
      await page.getByRole('link', { name: 'Accounts' }).click();
      await expect(page.getByRole('table').getByText(staffEmail)).toBeVisible();
      expect(await context.cookies()).toEqual([
        expect.objectContaining({
          name: '__Secure-latchkey_staff',
          path: '/latchkey',
          secure: true,
          sameSite: 'Strict',
        }),
      ]);
      const neighbour = await context.newPage();
      for (const other of ['/', '/latchkeys', '/other/admin']) {
        await neighbour.goto(new URL(other, siteUrl).href);
        expect((await neighbour.locator('body').innerText()).trim()).toBe('cookies:');
      }
      await signOut(page);
      expect(await context.cookies()).toEqual([]);
      await signIn(page);
      await page.getByRole('button', { name: 'Not now' }).click();
      await expect(page.getByRole('link', { name: 'Accounts' })).toBeVisible();
    });

    test('a user signs in to the account page with a password that was set by a mailed link', async ({
      page,
      server,
      siteUrl,
      smtp,
      context,
    }) => {
      const { email } = await server.seedUser('ada@lab.example');
      await page.goto(`${siteUrl}/account`);
      await page.getByRole('button', { name: 'Forgot password?' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Email').fill(email);
      await page.keyboard.press('Enter');
      const [mail] = await smtp.waitFor(email);
      await page.goto(/https:\S+/.exec(mail?.text ?? '')?.[0] ?? '');
      await page.getByLabel('New password').fill(newPassword);
      await page.getByRole('button', { name: 'Set password' }).click();
      await expect(page.getByRole('alert')).toContainText('Your password was changed.');
      await page.goto(`${siteUrl}/account/`);
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(newPassword);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect(page.getByRole('listitem', { name: 'Studio Mac' })).toBeVisible();
      expect(await context.cookies()).toEqual([
        expect.objectContaining({ name: '__Secure-latchkey_account', path: '/latchkey', secure: true, httpOnly: true }),
      ]);
    });
  });
}

test('without a proxy too, the first administrator adds a passkey and signs in with it', async ({
  page,
  server,
  siteUrl,
}) => {
  await addAuthenticator(page);
  await becomeFirstAdmin(page, server, siteUrl);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await expect(page.getByText('Your passkey was added.')).toBeVisible();
  await signOut(page);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await expect(page.getByRole('link', { name: 'Overview', exact: true })).toBeVisible();
});
