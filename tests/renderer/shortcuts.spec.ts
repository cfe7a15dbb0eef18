/** The list of keyboard shortcuts, and what the command palette finds by name: settings and devices. */
import { filledState, signedOutState } from './sample-states.ts';
import { expect, test } from './window-fixture.ts';

const now = Date.now();

test('the list opens with its keys and from the palette, and closes with Escape', async ({ page, open }) => {
  await open(filledState(now));
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  for (const keys of ['?', 'Control+/']) {
    await page.keyboard.press(keys);
    await expect(list).toContainText('Ctrl+K');
    await expect(list).toContainText('Zoom in Ctrl++');
    await page.keyboard.press('Escape');
    await expect(list).toHaveCount(0);
  }
  await page.keyboard.press('Control+k');
  await page.keyboard.type('shortcuts');
  await page.keyboard.press('Enter');
  await expect(list).toBeVisible();
});

test('the app’s menu opens the list, with keys named for the language and the system', async ({ page, open }) => {
  const state = filledState(now);
  const fake = await open({ ...state, settings: { ...state.settings, language: 'de' } });
  await fake.open({ id: 'r-1', kind: 'shortcuts' });
  await expect(page.getByRole('dialog', { name: 'Tastenkürzel' })).toContainText('Strg+K');
  expect(await fake.calls('closeOpenRequest')).toHaveLength(1);
  await fake.push({ app: { ...state.app, platform: 'darwin arm64' } });
  await expect(page.getByRole('dialog', { name: 'Tastenkürzel' })).toContainText('⌘K');
});

test('a question mark typed into a field is entered there and opens nothing', async ({ page, open }) => {
  await open(filledState(now), { hash: '#activity' });
  await page.getByLabel('Find in activity').fill('');
  await page.keyboard.press('?');
  await expect(page.getByLabel('Find in activity')).toHaveValue('?');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('the key to find goes to the list’s search, which Escape empties, and otherwise to the commands', async ({
  page,
  open,
}) => {
  await open(filledState(now), { hash: '#activity' });
  const field = page.getByLabel('Find in activity');
  const rows = page.getByRole('main').getByRole('listitem');
  const all = await rows.count();
  await page.keyboard.press('Control+f');
  await expect(field).toBeFocused();
  await page.keyboard.type('signed');
  await expect(rows).toHaveCount(1);
  await page.getByRole('button', { name: 'Check now' }).focus();
  // What was searched for is selected, so that typing replaces it.
  await page.keyboard.press('Control+f');
  await page.keyboard.type('heart');
  await expect(field).toHaveValue('heart');
  await page.keyboard.press('Escape');
  await expect(field).toHaveValue('');
  await expect(field).toBeFocused();
  await expect(rows).toHaveCount(all);
  await page.getByRole('link', { name: 'Overview' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview');
  await page.keyboard.press('Control+f');
  await expect(page.getByRole('dialog', { name: 'Search commands' })).toBeVisible();
});

test('the settings open with their keys, in groups', async ({ page, open }) => {
  await open(filledState(now));
  await page.keyboard.press('Control+,');
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
  await expect(page.getByRole('heading', { level: 2 })).toHaveText([
    'Personal',
    'This app',
    'Connection and installation',
  ]);
  const app = page.getByRole('region', { name: 'This app' });
  await expect(app.getByRole('heading', { level: 3 })).toHaveText(['Appearance', 'Heartbeats', 'Notifications']);
});

for (const [words, role, name] of [
  ['heartbeat int', 'combobox', 'Heartbeat interval'],
  ['show notif', 'switch', 'Show notifications'],
  ['server addr', 'textbox', 'Server address'],
] as const) {
  test(`the palette finds the setting ${name} and focuses it`, async ({ page, open }) => {
    await open(filledState(now));
    await page.keyboard.press('Control+k');
    await page.keyboard.type(words);
    await page.keyboard.press('Enter');
    await expect(page.getByRole(role, { name })).toBeFocused();
    await page.keyboard.press('Control+k');
    await page.keyboard.type(words);
    await page.keyboard.press('Enter');
    await expect(page.getByRole(role, { name })).toBeFocused();
  });
}

test('the palette lists devices and settings only in a search, and opens a device’s details from any screen', async ({
  page,
  open,
}) => {
  await open(filledState(now));
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('option', { name: /^(?:Device|Setting): / })).toHaveCount(0);
  await page.keyboard.type('bench');
  await expect(page.getByRole('option')).toHaveText(['Device: Lab bench 4']);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Lab bench 4' })).toBeVisible();
});

test('devices that are not loaded yet are requested once when the palette opens', async ({ page, open }) => {
  const state = filledState(now);
  const fake = await open(
    { ...state, devices: { value: null, loading: false, failure: null } },
    { script: { listDevices: [{ result: { ok: true, value: null }, state: { devices: state.devices } }] } },
  );
  await page.keyboard.press('Control+k');
  await page.keyboard.type('bench');
  await expect(page.getByRole('option')).toHaveText(['Device: Lab bench 4']);
  expect(await fake.calls('listDevices')).toHaveLength(1);
});

test('on macOS, Ctrl with a letter is left to the text field, where it moves or deletes', async ({ page, open }) => {
  await page.addInitScript(() => Object.defineProperty(navigator, 'platform', { value: 'MacIntel' }));
  await open(filledState(now), { hash: '#activity' });
  await page.getByLabel('Find in activity').focus();
  await page.keyboard.press('Control+k');
  await page.keyboard.press('Control+f');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.keyboard.press('Meta+k');
  await expect(page.getByRole('dialog')).toHaveCount(1);
});

for (const keys of ['?', 'Control+k']) {
  test(`what ${keys} opens is not open again once a user whose session has ended signs in`, async ({ page, open }) => {
    const { session, license } = filledState(now);
    const fake = await open(filledState(now));
    await page.keyboard.press(keys);
    await expect(page.getByRole('dialog')).toBeVisible();
    await fake.push(signedOutState(now));
    await expect(page.getByLabel('Email')).toBeVisible();
    await fake.push({ session, license });
    await expect(page.getByRole('navigation').first()).toBeVisible();
    // Nothing says that its code, which is loaded on demand, has had time to show it.
    await page.waitForTimeout(200);
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });
}
