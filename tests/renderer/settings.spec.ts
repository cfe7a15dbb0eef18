/** The settings screen: appearance, heartbeats, server, and how secrets are stored. */
import {
  filledState,
  firstRunState,
  offlineState,
  sampleFailure,
  sampleOffers,
  signedOutState,
  withServer,
} from './sample-states.ts';
import { expect, test } from './window-fixture.ts';

const now = Date.now();
const hash = '#settings';

test('a change is sent to the main process and shown once that has applied it', async ({ page, open }) => {
  const state = filledState(now);
  const fake = await open(state, {
    hash,
    script: {
      changeSettings: [
        { result: { ok: true, value: null }, state: { settings: { ...state.settings, language: 'de' } } },
      ],
    },
  });
  await page.getByRole('combobox', { name: 'Heartbeat interval' }).focus();
  await page.keyboard.press('Space');
  await page.getByRole('option', { name: '10 minutes' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Einstellungen');
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  expect(await fake.calls('changeSettings')).toEqual([
    { command: 'changeSettings', input: { heartbeatIntervalSeconds: 600 } },
  ]);
});

test('the interval is described as applying while the window is not in use', async ({ page, open }) => {
  await open(filledState(now), { hash });
  await expect(page.getByText(/^Applies while you use other programs\. While you use this window/)).toBeVisible();
});

test('an interval that was set elsewhere can still be chosen', async ({ page, open }) => {
  const state = filledState(now);
  await open({ ...state, settings: { ...state.settings, heartbeatIntervalSeconds: 420 } }, { hash });
  const interval = page.getByRole('combobox', { name: 'Heartbeat interval' });
  await expect(interval).toHaveValue('420');
  const options = await interval.getByRole('option').allInnerTexts();
  expect(options.map((text) => text.trim())).toEqual([
    '1 minute',
    '2 minutes',
    '5 minutes',
    '7 minutes',
    '10 minutes',
    '15 minutes',
    '30 minutes',
    '60 minutes',
  ]);
});

test('the theme setting overrides the system’s', async ({ page, open }) => {
  const state = filledState(now);
  const fake = await open(state, { hash });
  await page.emulateMedia({ colorScheme: 'light' });
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await background();
  await fake.push({ settings: { ...state.settings, theme: 'dark' } });
  await expect.poll(background).not.toBe(light);
});

test('start at login is offered only where it is available', async ({ page, open }) => {
  const state = filledState(now);
  const fake = await open(state, { hash });
  await page.getByRole('switch', { name: 'Start at login' }).focus();
  await page.keyboard.press('Space');
  expect(await fake.calls('changeSettings')).toEqual([{ command: 'changeSettings', input: { startAtLogin: true } }]);
  await fake.push({ app: { ...state.app, runtime: 'browser-host' } });
  await expect(page.getByRole('switch', { name: 'Start at login' })).toHaveCount(0);
});

test('closing the window can quit the app, where it would otherwise keep running', async ({ page, open }) => {
  const state = filledState(now);
  const fake = await open(state, { hash });
  const keepRunning = page.getByRole('switch', { name: 'Keep running when the window is closed' });
  await expect(keepRunning).toBeChecked();
  await keepRunning.focus();
  await page.keyboard.press('Space');
  expect(await fake.calls('changeSettings')).toEqual([{ command: 'changeSettings', input: { keepRunning: false } }]);
  await fake.push({ app: { ...state.app, runtime: 'browser-host' } });
  await expect(keepRunning).toHaveCount(0);
});

test('the account page is offered only if the server says that it has one', async ({ page, open }) => {
  const state = filledState(now);
  const fake = await open(withServer(state, { offers: sampleOffers }), { hash });
  const button = page.getByRole('button', { name: 'Open the account page' });
  await button.click();
  expect(await fake.calls('openAccountPage')).toHaveLength(1);
  for (const offers of [{ ...sampleOffers, accountPage: false }, null]) {
    await fake.push({ server: { ...state.server, offers } });
    await expect(button).toHaveCount(0);
  }
});

test('only configured links are offered', async ({ page, open }) => {
  const state = filledState(now);
  const fake = await open(state, { hash });
  await page.getByRole('button', { name: 'Security' }).click();
  expect((await fake.calls('openLink')).map(({ input }) => input)).toEqual([{ name: 'security' }]);
  await fake.push({ app: { ...state.app, links: [] } });
  for (const name of ['Help', 'Security']) await expect(page.getByRole('button', { name })).toHaveCount(0);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('help');
  await expect(page.getByText('No matching commands.')).toBeVisible();
});

test('changing the server asks for confirmation', async ({ page, open }) => {
  const fake = await open(filledState(now), { hash });
  await page.getByLabel('Server address').fill('https://other.example');
  await page.keyboard.press('Enter');
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('You can then sign in at https://other.example.');
  await question.getByRole('button', { name: 'Change' }).click();
  await expect
    .poll(async () => (await fake.calls('setServerAddress')).map(({ input }) => input))
    .toEqual([{ address: 'https://other.example' }]);
});

test('the default server is named while another one is used, and can be returned to', async ({ page, open }) => {
  const state = filledState(now);
  const fake = await open({ ...state, app: { ...state.app, defaultServer: 'https://standard.example' } }, { hash });
  await expect(page.getByText('The default server is https://standard.example.')).toBeVisible();
  await page.getByRole('button', { name: 'Use the default server' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Change' }).click();
  await expect
    .poll(async () => (await fake.calls('setServerAddress')).map(({ input }) => input))
    .toEqual([{ address: 'https://standard.example' }]);
});

for (const secretStorage of ['ask', 'memory'] as const) {
  test(`without a keyring a sign-in that is not kept can be from now on: ${secretStorage}`, async ({ page, open }) => {
    const fake = await open({ ...filledState(now), secretStorage }, { hash });
    if (secretStorage === 'ask') await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    const change = page.getByRole('button', { name: 'Change how it is stored…' });
    await change.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Keep me signed in on this device' }).click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(change).toBeFocused();
    expect((await fake.calls('chooseSecretStorage')).map(({ input }) => input)).toEqual([{ keep: true }]);
    for (const kept of ['file', 'keyring'] as const) {
      await fake.push({ secretStorage: kept });
      await expect(change).toHaveCount(0);
    }
  });
}

test('after a start without the server, the settings say what is missing, and help', async ({ page, open }) => {
  const state = offlineState(now);
  const unknown = { accountManagement: 'unknown', emailChange: 'unknown', offers: sampleOffers } as const;
  const fake = await open(withServer(state, unknown), { hash });
  const panel = page.getByRole('region', { name: 'Sign-in and security' });
  await expect(panel).toContainText('can be managed here once Latchkey can reach the server.');
  await panel.getByRole('button', { name: 'Connection doctor' }).click();
  await expect(page.getByRole('dialog', { name: 'Connection doctor' })).toBeVisible();
  for (const change of [
    { accountManagement: 'available' },
    { offers: null },
    { reachability: { kind: 'online' } },
  ] as const) {
    await fake.push({ server: { ...state.server, ...unknown, ...change } });
    await expect(panel).toHaveCount(0);
  }
});

for (const [secretStorage, text] of [
  ['keyring', /Stored in the system keyring/],
  ['file', /encrypted file that only you can read/],
  ['memory', /signed out when you quit/],
] as const) {
  test(`the settings say how the session is stored: ${secretStorage}`, async ({ page, open }) => {
    await open({ ...filledState(now), secretStorage }, { hash });
    await expect(page.getByText(text)).toBeVisible();
  });
}

test('the settings say what is sent and to whom, and where data is stored', async ({ page, open, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const state = filledState(now);
  const fake = await open(state, { hash });
  await expect(page.getByText('To https://license.lab.org and nobody else:')).toBeVisible();
  await expect(page.getByText('/home/ada/.config/Latchkey')).toBeVisible();
  await page.getByRole('button', { name: 'Copy path' }).click();
  await expect(page.getByRole('button', { name: 'Copied.' })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('/home/ada/.config/Latchkey');
  const openFolder = page.getByRole('button', { name: 'Open folder' });
  await openFolder.click();
  expect(await fake.calls('openDataFolder')).toHaveLength(1);
  await fake.push({ app: { ...state.app, runtime: 'browser-host' } });
  await expect(openFolder).toHaveCount(0);
});

test('the address field keeps the server in use if its change to the default one is canceled', async ({
  page,
  open,
}) => {
  const state = filledState(now);
  await open({ ...state, app: { ...state.app, defaultServer: 'https://default.lab.org' } }, { hash });
  const field = page.getByLabel('Server address');
  await page.getByRole('button', { name: 'Use the default server' }).click();
  const dialog = page.getByRole('alertdialog');
  await expect(dialog).toContainText('https://default.lab.org');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(field).toHaveValue(state.server.address ?? '');
  await expect(page.getByRole('button', { name: 'Use the default server' })).toBeFocused();
});

test('the address field shows the default server once it is in use, also while a lease works without a sign-in', async ({
  page,
  open,
}) => {
  const { app, server, license } = filledState(now);
  const defaultServer = 'https://default.lab.org';
  const changed = {
    result: { ok: true, value: null },
    state: { server: { ...server, address: defaultServer } },
  } as const;
  await open(
    { ...signedOutState(now), license, app: { ...app, defaultServer } },
    { hash, script: { setServerAddress: [changed] } },
  );
  await page.getByLabel('Server address').fill('https://other.example');
  await page.getByRole('button', { name: 'Use the default server' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Change' }).click();
  await expect(page.getByLabel('Server address')).toHaveValue(defaultServer);
});

test('a button says for a while that its text was copied, because the clipboard soon has another', async ({
  page,
  open,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.clock.install({ time: now });
  const state = filledState(now);
  await open({ ...state, app: { ...state.app, shellCommand: 'latchkey' } }, { hash });
  const buttons = page.getByRole('list', { name: 'Examples' }).getByRole('button');
  const labels = await buttons.allTextContents();
  await buttons.first().click();
  await expect(buttons.first()).toHaveText('Copied.');
  await page.clock.fastForward(5000);
  await expect(buttons).toHaveText(labels);
  // Copied again, it is said again.
  await buttons.first().click();
  await expect(buttons.first()).toHaveText('Copied.');
});

test('commands for a terminal can be copied as this installation is called', async ({ page, open, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const state = filledState(now);
  const fake = await open({ ...state, app: { ...state.app, shellCommand: './Latchkey.AppImage --cli' } }, { hash });
  const examples = page.getByRole('list', { name: 'Examples' });
  await expect(examples.getByRole('listitem')).toHaveCount(3);
  await expect(page.getByText('./Latchkey.AppImage --cli --help')).toBeVisible();
  await examples.getByRole('button', { name: 'Copy “feature csv_export”' }).focus();
  await page.keyboard.press('Enter');
  await expect(examples.getByRole('button', { name: 'Copied.' })).toBeFocused();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe('./Latchkey.AppImage --cli feature csv_export');
  const { shellCommand: _, ...unknown } = state.app;
  await fake.push({ app: unknown });
  await expect(page.getByRole('heading', { name: 'Command line' })).toHaveCount(0);
});

test('the licenses of the packages in the app can be opened', async ({ page, open }) => {
  const state = filledState(now);
  const failure = sampleFailure('FILE_UNREADABLE', now);
  const script = { openNotices: [{ result: { ok: true, value: null } }, { result: { ok: false, failure } }] } as const;
  const fake = await open(state, { hash, script });
  const button = page.getByRole('button', { name: 'Third-party licenses' });
  await button.click();
  expect(await fake.calls('openNotices')).toHaveLength(1);
  await expect(page.getByRole('alert')).toHaveCount(0);
  await button.click();
  await expect(page.getByRole('alert')).toContainText('The file could not be read.');
  await fake.push({ app: { ...state.app, runtime: 'browser-host' } });
  await expect(button).toHaveCount(0);
});

test('removing the data asks first, and offers to release the device', async ({ page, open }) => {
  const state = filledState(now);
  const fake = await open(state, { hash });
  await page.getByRole('button', { name: 'Remove data…' }).click();
  const question = page.getByRole('alertdialog', { name: 'Remove all data from this computer?' });
  const release = question.getByRole('switch', { name: 'Release this device first' });
  await expect(question).toContainText('Your account on the server stays.');
  await expect(release).toBeChecked();
  await page.keyboard.press('Escape');
  expect(await fake.calls('removeData')).toEqual([]);
  await page.getByRole('button', { name: 'Remove data…' }).click();
  await question.getByRole('button', { name: 'Remove and quit' }).click();
  expect((await fake.calls('removeData')).map(({ input }) => input)).toEqual([{ release: true }]);
});

test('a device that cannot be released keeps its place, if the user removes the data anyway', async ({
  page,
  open,
}) => {
  const state = offlineState(now);
  const failure = sampleFailure('SERVER_UNREACHABLE', now);
  const script = { removeData: [{ result: { ok: false, failure } }, { result: { ok: true, value: null } }] } as const;
  const fake = await open(state, { hash, script });
  await page.getByRole('button', { name: 'Remove data…' }).click();
  const question = page.getByRole('alertdialog', { name: 'Remove all data from this computer?' });
  await question.getByRole('button', { name: 'Remove and quit' }).click();
  await expect(question.getByRole('alert')).toContainText('Could not reach the server.');
  await question.getByRole('switch', { name: 'Release this device first' }).focus();
  await page.keyboard.press('Space');
  await expect(question.getByRole('alert')).toHaveCount(0);
  await expect(question).toContainText('This device stays activated and keeps its place on your license.');
  await question.getByRole('button', { name: 'Remove and quit' }).click();
  expect((await fake.calls('removeData')).map(({ input }) => input)).toEqual([{ release: true }, { release: false }]);
});

test('a device that is not activated has nothing to release when its data is removed', async ({ page, open }) => {
  await open(firstRunState(now), { hash });
  await page.getByRole('button', { name: 'Remove data…' }).click();
  const question = page.getByRole('alertdialog', { name: 'Remove all data from this computer?' });
  await expect(question).toBeVisible();
  await expect(question.getByRole('switch')).toHaveCount(0);
  await expect(question).not.toContainText('keeps its place');
});

test('the details for support can be copied: version, platform and device ID', async ({ page, open, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await open(filledState(now), { hash });
  await page.getByRole('button', { name: 'Copy details' }).click();
  await expect(page.getByRole('button', { name: 'Copied.' })).toBeVisible();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  expect(text).toMatch(/^Latchkey: Version \S+ on .+\nDevice ID: HW-/);
});

test('a page that the system cannot open is reported, from wherever it was asked for', async ({ page, open }) => {
  const failed = [{ result: { ok: false as const, failure: sampleFailure('INTERNAL', now) } }];
  const state = withServer(filledState(now), { offers: sampleOffers });
  await open(state, { hash, script: { openLink: failed, openAccountPage: failed } });
  for (const name of ['Help', 'What’s new', 'Open the account page']) {
    await page.getByRole('button', { name, exact: true }).click();
    const failure = page.getByRole('alert');
    await expect(failure).toHaveCount(1);
    await failure.getByRole('button', { name: 'Close' }).click();
    await expect(failure).toHaveCount(0);
  }
});
