/** What only the browser host has to prove: several tabs, and a connection that drops. */
import { goTo, licenseState, preparePerson, signIn } from './fixtures/person.ts';
import { expect, test } from './fixtures/test.ts';

test('a second tab shows the same, and follows what the first one does', async ({ desktop, server }) => {
  test.skip(desktop.kind === 'electron', 'a window of Electron has no tabs');
  const second = await desktop.page.context().newPage();
  await second.goto(new URL('/', desktop.page.url()).href);
  await expect(second.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
  await signIn(desktop.page, await preparePerson(server));
  await expect(licenseState(second)).toBeVisible();
  await desktop.page.close();
  await goTo(second, 'Devices');
  await expect(second.getByLabel('License key')).toBeVisible();
});

test('a dropped connection comes back by itself, with what happened in between', async ({ desktop, server }) => {
  test.skip(desktop.kind === 'electron', 'Electron has no connection to lose');
  const person = await preparePerson(server);
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
  await signIn(desktop.page, person);
  await expect(licenseState(desktop.page)).toBeVisible();
  await expect(licenseState(watched)).toBeHidden();
  online = true;
  await expect(licenseState(watched)).toBeVisible();
});
