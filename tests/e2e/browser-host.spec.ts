/** Features of the browser host only: several tabs, and a connection that can be lost. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from './fixtures/test.ts';
import { goTo, licenseState, prepareUser, signIn } from './fixtures/user.ts';

test('a second tab shows the same state, and follows the actions in the first one', async ({ desktop, server }) => {
  test.skip(desktop.kind === 'electron', 'a window of Electron has no tabs');
  const second = await desktop.page.context().newPage();
  await second.goto(new URL('/', desktop.page.url()).href);
  await expect(second.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
  await signIn(desktop.page, await prepareUser(server));
  await expect(licenseState(second)).toBeVisible();
  await desktop.page.close();
  await goTo(second, 'Devices');
  await expect(second.getByLabel('License key')).toBeVisible();
});

test('the cookie of the window is not sent to other ports of this machine', async ({ desktop }) => {
  test.skip(desktop.kind === 'electron', 'Electron has no cookie');
  const received: (string | undefined)[] = [];
  const other = createServer((request, response) => {
    received.push(request.headers.cookie);
    response.end('<!doctype html><link rel="icon" href="data:,">');
  }).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const context = desktop.page.context();
  expect(await context.cookies()).toHaveLength(1);
  for (const host of ['127.0.0.1', 'localhost', 'other.localhost']) {
    const page = await context.newPage();
    await page.goto(`http://${host}:${(other.address() as AddressInfo).port}/`);
  }
  other.close();
  expect(received).toEqual([undefined, undefined, undefined]);
});

test('a lost connection is restored automatically, with the current state', async ({ desktop, server }) => {
  test.skip(desktop.kind === 'electron', 'Electron has no connection to lose');
  const user = await prepareUser(server);
  let online = true;
  const drops: (() => void)[] = [];
  const watched = await desktop.page.context().newPage();
  await watched.routeWebSocket(/__host__\/socket$/, (socket) => {
    drops.push(() => void socket.close());
    if (online) socket.connectToServer();
    else void socket.close();
  });
  await watched.goto(new URL('/', desktop.page.url()).href);
  await expect(watched.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
  online = false;
  for (const drop of drops) drop();
  await signIn(desktop.page, user);
  await expect(licenseState(desktop.page)).toBeVisible();
  await expect(licenseState(watched)).toBeHidden();
  online = true;
  await expect(licenseState(watched)).toBeVisible();
});
