/** The layout: routes, keyboard, command palette, account menu, and the message of each license state. */
import type { LicenseState } from '../../shared/ipc/app-state.ts';
import type { CommandName } from '../../shared/ipc/ipc-schema.ts';
import {
  blockedState,
  excessState,
  filledState,
  firstRunState,
  from,
  leasedState,
  offlineState,
  sampleDecision,
  sampleFailure,
  sampleOffers,
  signedOutState,
  waitingState,
  withServer,
} from './sample-states.ts';
import { expect, test } from './window-fixture.ts';

const now = Date.now();
const routes = ['Overview', 'Features', 'Devices', 'API key', 'Installer', 'Activity', 'Diagnostics', 'Settings'];

test('each route has a link and a number key', async ({ page, open }) => {
  await open(filledState(now));
  for (const route of routes) {
    const link = page.getByRole('link', { name: route, exact: true });
    await link.click();
    await expect(link).toHaveAttribute('aria-current', 'page');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(route);
  }
  for (const [index, route] of routes.entries()) {
    await page.keyboard.press(`Control+${index + 1}`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(route);
  }
});

test('the number of activated devices is shown beside their link', async ({ page, open }) => {
  await open(filledState(now));
  const link = page.getByRole('link', { name: 'Devices', exact: true });
  await expect(page.getByText('2/3', { exact: true })).toBeVisible();
  await expect(link).toHaveAttribute('aria-description', '2 of 3 devices activated');
});

const messages: readonly (readonly [LicenseState, RegExp])[] = [
  [
    { kind: 'works', plan: 'standard', until: '2099-03-03T12:00:00.000Z', worksUntil: null },
    /Everything works\. Standard until 3 March 2099\./,
  ],
  [{ kind: 'works', plan: 'lab-wide', until: null, worksUntil: null }, /Everything works\. Lab-wide\./],
  [{ kind: 'not-activated' }, /not activated/],
  [{ kind: 'no-license' }, /no license/],
  [{ kind: 'blocked', reason: 'revoked' }, /revoked/],
  [{ kind: 'blocked', reason: 'expired' }, /expired/],
  [{ kind: 'blocked', reason: 'suspended' }, /suspended/],
  [{ kind: 'blocked', reason: 'subscription-ended' }, /subscription ended/i],
  [{ kind: 'blocked', reason: 'not-found' }, /no longer recognizes your license/],
  [{ kind: 'offline-ended', since: '2026-01-01T00:00:00.000Z' }, /Offline since .* Features are unavailable/],
  [{ kind: 'unknown' }, /not checked yet/],
];

for (const [license, text] of messages) {
  const name = license.kind === 'blocked' ? license.reason : license.kind;
  test(`the state header describes ${name}${license.kind === 'works' ? ` (${license.plan})` : ''}`, async ({
    page,
    open,
  }) => {
    await open({ ...filledState(now), license });
    await expect(page.getByRole('status', { name: 'License state' })).toHaveText(text);
  });
}

test('a device whose license is refused is not said to be not activated, as nobody has asked for its place', async ({
  page,
  open,
}) => {
  const filled = filledState(now);
  const thisDevice = filled.thisDevice && { ...filled.thisDevice, activated: false };
  const fake = await open({ ...filled, license: { kind: 'not-activated' }, thisDevice });
  const panel = page.getByRole('region', { name: 'This device' });
  await expect(panel).toContainText('Not activated');
  await fake.push({ license: { kind: 'blocked', reason: 'subscription-ended' } });
  await expect(panel).not.toContainText('Not activated');
});

test('offline shows since when, until when everything works, and why', async ({ page, open }) => {
  // At noon, since the time is shown only on the same day.
  const noon = Date.parse('2026-03-03T11:00:00.000Z');
  await page.clock.setFixedTime(noon);
  await open(offlineState(noon));
  const state = page.getByRole('status', { name: 'License state' });
  await expect(state).toContainText(/Offline since \d\d:\d\d\. Everything works until \w+\./);
  await page.getByRole('button', { name: 'Details' }).click();
  const details = page.getByRole('dialog', { name: 'Could not reach the server.' });
  await expect(details).toContainText('SERVER_UNREACHABLE');
  await page.keyboard.press('Escape');
  await expect(details).toBeHidden();
  await expect(page.getByRole('button', { name: 'Details' })).toBeFocused();
});

test('the next try is never in the past: it is now once it is due', async ({ page, open }) => {
  await page.clock.setFixedTime(now);
  await open(offlineState(now));
  const nextTry = page.getByRole('dialog').getByText(/Next try/);
  for (const [afterMs, text] of [
    [0, 'Next try in 30 seconds.'],
    [27_000, 'Next try now.'],
    [120_000, 'Next try now.'],
  ] as const) {
    await page.clock.setFixedTime(now + afterMs);
    await page.getByRole('button', { name: 'Details' }).click();
    await expect(nextTry).toContainText(text);
    await page.keyboard.press('Escape');
    await expect(nextTry).toHaveCount(0);
  }
});

test('a state with a remedy has a button for it', async ({ page, open }) => {
  const fake = await open(firstRunState(now));
  await page.getByRole('button', { name: 'Enter license key' }).click();
  await expect(page.getByLabel('License key')).toBeVisible();
  await fake.push(blockedState(now, 'subscription-ended'));
  await page.getByRole('button', { name: 'See plans' }).first().click();
  expect(await fake.calls('openLink')).toEqual([{ command: 'openLink', input: { name: 'plans' } }]);
});

test('Check now syncs once and shows a failure', async ({ page, open }) => {
  const fake = await open(filledState(now), {
    script: {
      syncNow: [{ result: { ok: false, failure: sampleFailure('SERVER_UNREACHABLE', now) }, isHeld: true }],
    },
  });
  const button = page.getByRole('button', { name: 'Check now' });
  await button.click();
  await button.click({ force: true });
  await fake.release();
  await expect(page.getByText('Could not reach the server.')).toBeVisible();
  expect(await fake.calls('syncNow')).toHaveLength(1);
});

test('a failure without a place of its own is an alert that stays until it is closed, and offers the doctor', async ({
  page,
  open,
}) => {
  await page.clock.install();
  await open(filledState(now), {
    script: { syncNow: [{ result: { ok: false, failure: sampleFailure('SERVER_UNREACHABLE', now) } }] },
  });
  const alert = page.getByRole('alert').filter({ hasText: 'Could not reach the server.' });
  await page.getByRole('button', { name: 'Check now' }).click();
  await expect(alert).toBeVisible();
  await page.clock.runFor(10_000);
  await page.getByRole('button', { name: 'Check now' }).click();
  await expect(alert).toHaveCount(1);
  await alert.getByRole('button', { name: 'Connection doctor' }).click();
  await expect(page.getByRole('dialog', { name: 'Connection doctor' })).toBeVisible();
  await page.keyboard.press('Escape');
  await alert.getByRole('button', { name: 'Close' }).click();
  await expect(alert).toHaveCount(0);
});

test('a result stays while its toast has the focus, and canceling shows none', async ({ page, open }) => {
  await page.clock.install({ time: now });
  const canceled = { ok: false, failure: sampleFailure('CANCELED', now) } as const;
  const done = { ok: true, value: { path: '/tmp/history.csv' } } as const;
  await open(filledState(now), { script: { exportHistory: [{ result: canceled }, { result: done }] } });
  // From here on, only `runFor` lets time pass: on a slow machine, the toast would be gone before it has the focus.
  await page.clock.pauseAt(now + 3_600_000);
  const exportHistory = async () => {
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Export history' }).click();
  };
  await exportHistory();
  await exportHistory();
  const toast = page.getByText('History exported to /tmp/history.csv.');
  await expect(toast).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
  await page.getByRole('button', { name: 'Close' }).focus();
  await page.clock.runFor(10_000);
  await expect(toast).toBeVisible();
  await page.getByRole('link', { name: 'Overview', exact: true }).focus();
  await page.clock.runFor(7000);
  await expect(toast).toHaveCount(0);
});

test('Check now is not lost while a sync is running that the user did not start', async ({ page, open }) => {
  const fake = await open({ ...filledState(now), syncing: true });
  await page.getByRole('button', { name: 'Check now' }).click();
  await expect.poll(() => fake.calls('syncNow')).toHaveLength(1);
});

test('a revocation is shown immediately on any screen', async ({ page, open }) => {
  const fake = await open(filledState(now), { hash: '#features' });
  await fake.push(blockedState(now, 'revoked'));
  await expect(page.getByRole('status', { name: 'License state' })).toContainText('revoked');
  await expect(page.getByRole('listitem', { name: 'CSV export' })).toContainText('off');
});

test('the command palette finds and runs a command, and returns the focus on Escape', async ({ page, open }) => {
  const fake = await open(filledState(now));
  await page.getByRole('link', { name: 'Overview', exact: true }).focus();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog', { name: 'Search commands' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByRole('link', { name: 'Overview', exact: true })).toBeFocused();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('install');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Installer');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('dark');
  await page.keyboard.press('Enter');
  await expect
    .poll(() => fake.calls('changeSettings'))
    .toEqual([{ command: 'changeSettings', input: { theme: 'dark' } }]);
});

test('the arrow keys move through the found commands, and a screen reader is told which one is active', async ({
  page,
  open,
}) => {
  const fake = await open(filledState(now));
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'Search commands' });
  const active = page.getByRole('option', { selected: true });
  await expect(field).toBeFocused();
  await expect(active).toHaveCount(0);
  await page.keyboard.press('ArrowUp');
  await expect(active).toHaveText('Sign out on all devices');
  await expect(active).toBeInViewport();
  await page.keyboard.type('THÈME');
  await expect(page.getByRole('option')).toHaveText(['Theme: System', 'Theme: Light', 'Theme: Dark']);
  for (const name of ['Theme: Light', 'Theme: Dark', 'Theme: System', 'Theme: Light']) {
    await page.keyboard.press('ArrowDown');
    await expect(active).toHaveText(name);
    await expect(field).toHaveAttribute('aria-activedescendant', (await active.getAttribute('id')) ?? '');
  }
  await page.keyboard.type('x');
  await expect(page.getByRole('status').filter({ hasText: 'No matching commands.' })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeVisible();
  expect(await fake.calls('changeSettings')).toEqual([]);
});

test('the command palette finds words in any order, and says with which keys it goes without it', async ({
  page,
  open,
}) => {
  await open(filledState(now));
  await page.keyboard.press('Control+k');
  await page.keyboard.type('overv go');
  await expect(page.getByRole('option')).toHaveText(['Go to OverviewCtrl+1']);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+1');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview');
});

test('the command palette finds a feature, says whether it is on, and shows why', async ({ page, open }) => {
  const explained = { ok: true, value: [sampleDecision(now, 'csv_export')] } as const;
  await open(filledState(now), { script: { explainFeatures: [{ result: explained }] } });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('preproc');
  await expect(page.getByRole('option')).toHaveText(['Custom preprocessing: off']);
  await page.keyboard.press('Control+a');
  await page.keyboard.type('csv');
  await expect(page.getByRole('option')).toHaveText(['CSV export: on']);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'CSV export' })).toContainText('On. Decided by: Signed license file.');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('the explanation of a feature stays open while the state changes, also without a session', async ({
  page,
  open,
}) => {
  const explained = { ok: true, value: [sampleDecision(now, 'csv_export')] } as const;
  const answer = { result: explained };
  const fake = await open(leasedState(now, null), { hash: '#features', script: { explainFeatures: [answer, answer] } });
  await page.getByRole('button', { name: 'Why? CSV export' }).click();
  await expect(page.getByRole('dialog', { name: 'CSV export' })).toBeVisible();
  await fake.push({ syncing: true });
  await expect(page.getByRole('dialog', { name: 'CSV export' })).toBeVisible();
});

test('the command palette has the commands of the screens, if they are possible', async ({ page, open }) => {
  const state = withServer(filledState(now), { offers: sampleOffers });
  const fake = await open(state, {
    script: {
      supportFile: [{ result: { ok: true, value: { text: '{}' } } }],
      saveLeaseRequest: [{ result: { ok: true, value: { path: '/tmp/request.json' } } }],
    },
  });
  const search = async (text: string) => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type(text);
    return page.getByRole('option');
  };
  for (const [text, name, dialog] of [
    ['support', 'Save support file…', 'Support file'],
    ['import', 'Import answer file…', 'Import answer'],
    ['paste', 'Paste answer', 'Import answer'],
    ['rename', 'Rename this device', 'Rename this device'],
  ] as const) {
    await expect(await search(text)).toHaveText([name]);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('dialog', { name: dialog, exact: true })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  }
  await expect(await search('request')).toHaveText(['Save request file…']);
  await page.keyboard.press('Enter');
  await expect(page.getByText('Saved to /tmp/request.json.')).toBeVisible();
  await expect(await search('update')).toHaveText(['Check for updates']);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Installer');
  await expect(await search('account page')).toHaveText(['Open the account page']);
  await page.keyboard.press('Enter');
  await expect(await search('all devices')).toHaveText(['Sign out on all devices']);
  await page.keyboard.press('Enter');
  await expect(await search('inst verify')).toHaveText(['Verify this installation']);
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await fake.calls('verifyInstallation')).length).toBe(1);
  await expect(await search('license key')).toHaveText([]);
  await page.keyboard.press('Escape');
  const inputOf = async (command: CommandName) => (await fake.calls(command)).map(({ input }) => input);
  expect(await inputOf('saveLeaseRequest')).toEqual([{ licenseKey: '' }]);
  expect(await inputOf('checkForUpdates')).toHaveLength(1);
  expect(await inputOf('openAccountPage')).toHaveLength(1);
  expect(await inputOf('signOut')).toEqual([{ allDevices: true }]);

  await fake.push(withServer(firstRunState(now), { leases: 'missing', offers: null }));
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('option', { name: 'Rename this device' })).toBeVisible();
  for (const name of ['Save request file…', 'Import answer file…', 'Paste answer', 'Open the account page']) {
    await expect(page.getByRole('option', { name })).toHaveCount(0);
  }
  await page.keyboard.type('license key');
  await expect(page.getByRole('option')).toHaveText(['Enter license key']);
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('License key')).toBeFocused();
});

test('a dialog keeps the focus, closes on a click outside or on Cancel, and returns the focus', async ({
  page,
  open,
}) => {
  await open(filledState(now), { hash: '#devices' });
  const release = page.getByRole('button', { name: 'Release' }).first();
  await release.click();
  const dialog = page.getByRole('alertdialog');
  for (let presses = 0; presses < 4; presses += 1) {
    await page.keyboard.press('Tab');
    const inside = await page.evaluate(() => document.activeElement?.closest('dialog, body')?.tagName);
    const inPage = await page.evaluate(() => document.activeElement?.closest('#window') !== null);
    expect([inside, inPage]).toEqual([inside === 'BODY' ? 'BODY' : 'DIALOG', false]);
  }
  await page.mouse.click(5, 5);
  await expect(release).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(release).toBeFocused();
});

test('the dialog to paste an answer opens with the focus in its field', async ({ page, open }) => {
  await open(filledState(now), { hash: '#devices' });
  await page.getByRole('button', { name: 'Paste answer' }).click();
  await expect(page.getByRole('dialog').getByLabel('Answer')).toBeFocused();
});

test('the account menu shows the email and signs out', async ({ page, open }) => {
  const fake = await open(filledState(now));
  await page.getByRole('button', { name: 'ada@lab.org' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
  await page.getByRole('button', { name: 'ada@lab.org' }).click();
  await page.getByRole('menuitem', { name: 'Sign out on all devices' }).click();
  await expect
    .poll(async () => (await fake.calls('signOut')).map(({ input }) => input))
    .toEqual([{ allDevices: false }, { allDevices: true }]);
});

test('signing out on all devices at a slow server says what is waited for, until the server answers', async ({
  page,
  open,
}) => {
  await page.clock.install({ time: now });
  const held = { result: { ok: true, value: null }, isHeld: true, state: signedOutState(now) } as const;
  const fake = await open(filledState(now), { script: { signOut: [held] } });
  await page.getByRole('button', { name: 'ada@lab.org' }).click();
  await page.getByRole('menuitem', { name: 'Sign out on all devices' }).click();
  await expect.poll(async () => (await fake.calls('signOut')).length).toBe(1);
  const announced = page.locator('[aria-live="polite"]');
  await page.clock.fastForward(1000);
  await expect(announced.getByText('Waiting for the server to sign out all devices…')).toBeVisible();
  // Not for a few seconds only, as a result would be.
  await page.clock.fastForward(10_000);
  await expect(announced.getByText('Waiting for the server to sign out all devices…')).toBeVisible();
  await fake.release();
  await expect(announced.getByText('Signed out on all devices.')).toBeVisible();
  await expect(page.getByText('Waiting for the server')).toHaveCount(0);
});

test('signing out while offline asks for confirmation, from the menu and from the palette', async ({ page, open }) => {
  const fake = await open(offlineState(now));
  const dialog = page.getByRole('alertdialog', { name: 'Sign out while offline?' });
  await page.getByRole('button', { name: 'ada@lab.org' }).click();
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
  await expect(dialog).toContainText('features stop until you can reach the server and sign in again');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'ada@lab.org' })).toBeFocused();
  await page.keyboard.press('Control+k');
  await page.getByRole('option', { name: 'Sign out', exact: true }).click();
  await expect(dialog).toBeVisible();
  expect(await fake.calls('signOut')).toEqual([]);
  await dialog.getByRole('button', { name: 'Sign out' }).click();
  await expect(dialog).toBeHidden();
  expect(await fake.calls('signOut')).toEqual([{ command: 'signOut', input: { allDevices: false } }]);
  await fake.push(blockedState(now, 'revoked'));
  await page.getByRole('button', { name: 'ada@lab.org' }).click();
  await page.getByRole('menuitem', { name: 'Sign out on all devices' }).click();
  await expect.poll(() => fake.calls('signOut')).toHaveLength(2);
});

test('the account menu works with the keyboard, and returns the focus', async ({ page, open }) => {
  const fake = await open(filledState(now));
  const button = page.getByRole('button', { name: 'ada@lab.org' });
  const item = (name: string) => page.getByRole('menuitem', { name, exact: true });
  await expect(button).toHaveAttribute('aria-expanded', 'false');
  await button.focus();
  await page.keyboard.press('Enter');
  await expect(button).toHaveAttribute('aria-expanded', 'true');
  await expect(item('Sign out')).toBeFocused();
  for (const [key, name] of [
    ['ArrowUp', 'Sign out on all devices'],
    ['ArrowDown', 'Sign out'],
    ['End', 'Sign out on all devices'],
    ['Home', 'Sign out'],
  ] as const) {
    await page.keyboard.press(key);
    await expect(item(name)).toBeFocused();
  }
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menu')).toBeHidden();
  await expect(button).toBeFocused();
  await button.click();
  await page.mouse.click(600, 300);
  await expect(page.getByRole('menu')).toBeHidden();
  expect(await fake.calls('signOut')).toEqual([]);
});

test('a warning stays until it is dismissed', async ({ page, open }) => {
  const text = 'More devices than your plan has were seen in the last minutes.';
  const fake = await open({ ...filledState(now), warnings: [{ id: 'w-1', text, since: new Date(now).toISOString() }] });
  await expect(page.getByRole('region', { name: 'Warnings' })).toContainText(text);
  await page.getByRole('button', { name: 'Dismiss' }).click();
  expect(await fake.calls('dismissWarning')).toEqual([{ command: 'dismissWarning', input: { id: 'w-1' } }]);
});

test('a failure to reach the server goes away once the server responds again, and another failure stays', async ({
  page,
  open,
}) => {
  const online = filledState(now);
  const failed = (code: string) => ({ result: { ok: false as const, failure: sampleFailure(code, now) } });
  const codes = ['SERVER_UNREACHABLE', 'SERVICE_UNAVAILABLE', 'STORE_UNAVAILABLE'];
  const fake = await open(offlineState(now), { script: { syncNow: codes.map(failed) } });
  const failures = page.locator('.toast[role="alert"]');
  for (const count of [1, 2, 3]) {
    await page.getByRole('button', { name: 'Check now' }).click();
    await expect(failures).toHaveCount(count);
  }
  await fake.push({ server: online.server });
  await expect(failures).toHaveText([/could not save .* Make sure that there is free disk space/]);
});

test('lists that could not be loaded are loaded again once the server responds', async ({ page, open }) => {
  const online = filledState(now);
  const failed = { value: null, loading: false, failure: sampleFailure('SERVER_UNREACHABLE', now) };
  const fake = await open({ ...offlineState(now), devices: failed, sessions: failed });
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  expect(await fake.calls('listDevices')).toEqual([]);
  await fake.push({ server: online.server });
  await expect.poll(() => fake.calls('listDevices')).toHaveLength(1);
  expect(await fake.calls('listSessions')).toHaveLength(1);
});

test('screen readers announce a new warning, and not every minute how old it is', async ({ page, open }) => {
  const warning = { id: 'w-1', text: 'More devices than your plan has were seen.', since: new Date(now).toISOString() };
  await open({ ...filledState(now), warnings: [warning] });
  const warnings = page.getByRole('region', { name: 'Warnings' });
  await expect(warnings.locator('time')).toBeVisible();
  await expect(warnings).toHaveAttribute('aria-live', 'polite');
  await expect(warnings).toHaveAttribute('aria-relevant', 'additions');
});

test('without a keyring the user is asked once, and Escape leaves it undecided', async ({ page, open }) => {
  const fake = await open(
    { ...filledState(now), secretStorage: 'ask' },
    { script: { chooseSecretStorage: [{ result: { ok: true, value: null }, state: { secretStorage: 'file' } }] } },
  );
  await expect(page.getByRole('button', { name: 'Forget when I quit' })).toBeVisible();
  await expect(page.getByRole('dialog')).toContainText('so is the license key of this device');
  await page.getByRole('button', { name: 'Keep me signed in on this device' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  expect(await fake.calls('chooseSecretStorage')).toEqual([{ command: 'chooseSecretStorage', input: { keep: true } }]);
});

for (const [width, folded] of [
  [1080, false],
  [640, true],
  [400, true],
] as const) {
  test(`at ${width} px all routes are reachable and nothing is cut off`, async ({ page, open }) => {
    await page.setViewportSize({ width, height: 720 });
    await open(filledState(now));
    for (const route of routes) await expect(page.getByRole('link', { name: route, exact: true })).toBeInViewport();
    await expect(page.getByRole('button', { name: 'ada@lab.org' })).toBeInViewport();
    await expect(page.getByRole('button', { name: 'Check now' })).toBeInViewport();
    expect(await page.getByText('Latchkey', { exact: true }).isVisible()).toBe(!folded);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
  });
}

test('after a change to a smaller plan, the number beside Devices is the one of the notice', async ({ page, open }) => {
  await open(excessState(now));
  await expect(page.getByText('2 devices are in use, but your plan is for 1.')).toBeVisible();
  const link = page.getByRole('link', { name: 'Devices', exact: true });
  await expect(link).toHaveAttribute('aria-description', '2 of 1 devices activated');
});

test('with a clock that is ahead, times that the server has set are by its clock', async ({ page, open }) => {
  await page.clock.setFixedTime(now);
  const aheadMs = 40 * 86_400_000;
  const state = filledState(now - aheadMs);
  const { heartbeat } = filledState(now);
  await open({ ...state, heartbeat, clock: 'ahead', clockAheadMs: aheadMs }, { hash: '#devices' });
  const devices = page.getByRole('list', { name: 'Devices' });
  await expect(devices.getByRole('listitem').first()).toContainText('Last seen 2 minutes ago');
  await expect(page.getByText(/^from |at the next check/)).toHaveText(/^from /);
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await expect(page.getByText(/^(?:renews|ended) /)).toHaveText(/^renews /);
  const next = page.getByRole('list', { name: 'What happens next' });
  await expect(next).toContainText('Standard renews');
  await expect(next).toContainText(/in \d+ minutes? Heartbeat and license check/);
});

test('a clock that is or may be ahead, or was changed, is named with a remedy', async ({ page, open }) => {
  const fake = await open({ ...filledState(now), clock: 'ahead' });
  await expect(page.getByRole('main')).toContainText('This computer’s clock is ahead of the server’s.');
  await fake.push({ ...filledState(now), clock: 'maybe-ahead' });
  await expect(page.getByRole('main')).toContainText('This computer’s clock may be ahead.');
  await fake.push({ ...filledState(now), clock: 'contradictory' });
  await expect(page.getByRole('main')).toContainText('This computer’s clock was changed.');
  await fake.push(filledState(now));
  await expect(page.getByRole('main')).not.toContainText('clock');
});

test('a sign-in that could not be stored is named with a remedy until it is', async ({ page, open }) => {
  const state = filledState(now);
  const { session } = state;
  if (session.kind !== 'signed-in') throw new Error('nobody is signed in');
  const fake = await open({ ...state, session: { ...session, isUnsaved: true } });
  const warning = page.getByRole('status').filter({ hasText: 'Your sign-in could not be saved on this device.' });
  await expect(warning).toContainText('Make sure that there is free disk space');
  await fake.push({ session: { ...session, isUnsaved: true, fileProblem: 'no-permission' } });
  await expect(warning).toContainText('You do not have permission for this file or its folder.');
  await expect(warning).toContainText('Latchkey tries again with each check.');
  await fake.push({ session });
  await expect(warning).toHaveCount(0);
});

test('an expired session leaves the window open thanks to the lease, says until when, and leads to the sign-in and back', async ({
  page,
  open,
}) => {
  await open(leasedState(now, 'session-expired'));
  await expect(page.getByRole('status', { name: 'License state' })).toContainText('Everything works until');
  const reminder = page.getByRole('status').filter({ hasText: 'Sign in again. Everything works until' });
  await reminder.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in to Latchkey' })).toBeVisible();
  await page.getByRole('button', { name: 'Back' }).click();
  await expect(reminder).toBeVisible();
});

test('a user who has never signed in is not asked to sign in again', async ({ page, open }) => {
  await open(leasedState(now, null));
  await expect(page.getByText(/You are not signed in\. Everything works until/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Check now' })).toHaveCount(0);
});

test('the command palette offers no sign-out without a session, which would delete the lease', async ({
  page,
  open,
}) => {
  const fake = await open(leasedState(now, null));
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('option', { name: 'Overview' })).toBeVisible();
  await expect(page.getByRole('option', { name: 'Sign out' })).toHaveCount(0);
  await expect(page.getByRole('option', { name: 'Check now' })).toHaveCount(0);
  await page.getByRole('option', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in to Latchkey' })).toBeVisible();
  expect(await fake.calls('signOut')).toEqual([]);
});

test('a lease that this copy does not accept is reported as such, with a way to the updates', async ({
  page,
  open,
}) => {
  const waiting = waitingState(now);
  const decision = sampleDecision(now, 'csv_export');
  const chain = decision.chain.map((step) => (step.check === 'lease' ? { ...step, result: 'fail' as const } : step));
  await open(
    { ...waiting, lease: { ...waiting.lease, state: 'unusable', problem: 'unknown_key' } },
    {
      script: {
        explainFeatures: [{ result: { ok: true, value: [{ ...decision, on: false, decided_by: 'lease', chain }] } }],
      },
    },
  );
  const state = page.getByRole('status', { name: 'License state' });
  await expect(state).toContainText('This copy of Latchkey does not accept the server’s license.');
  await expect(state).not.toContainText('Waiting for the server');
  await state.getByRole('button', { name: 'See updates' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Installer');
  await page.getByRole('link', { name: 'Features', exact: true }).click();
  await page.getByRole('button', { name: 'Why? CSV export' }).click();
  await expect(page.getByRole('list', { name: 'Decisions' })).toContainText('does not accept the server’s license');
});

test('Change server in the header opens the settings with the focus in the server address', async ({ page, open }) => {
  const license = { kind: 'offline-ended', since: new Date(now - 9 * 86_400_000).toISOString() } as const;
  await open({ ...offlineState(now), license });
  await page.getByRole('button', { name: 'Change server' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
  await expect(page.getByLabel('Server address')).toBeFocused();
});

test('a failure of the session before is gone once the user has signed in again', async ({ page, open }) => {
  const failure = sampleFailure('INVALID_TOKEN', now);
  const session = { kind: 'signed-out', reason: 'session-revoked' } as const;
  const fake = await open(filledState(now), { script: { syncNow: [{ result: { ok: false, failure } }] } });
  await page.getByRole('button', { name: 'Check now' }).click();
  await fake.push({ ...signedOutState(now), session });
  const ended = page.getByText('Your session is no longer valid.');
  await expect(ended).toBeVisible();
  await fake.push(filledState(now));
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview');
  await expect(ended).toHaveCount(0);
});

test('an activation that begins in the header says so at a slow server, and the user can stop waiting', async ({
  page,
  open,
}) => {
  await page.clock.install({ time: now });
  const { thisDevice } = filledState(now);
  const released = { ...firstRunState(now), thisDevice: thisDevice && { ...thisDevice, activated: false } };
  const failed = { result: { ok: false, failure: sampleFailure('SERVER_UNREACHABLE', now) }, isHeld: true } as const;
  const fake = await open(released, { script: { activateLicense: [failed] } });
  const activate = page.getByRole('button', { name: 'Activate again' });
  await activate.click();
  await expect.poll(async () => (await fake.calls('activateLicense')).length).toBe(1);
  await page.clock.fastForward(4000);
  const toast = page.locator('.toast');
  await expect(toast).toContainText('If you stop waiting, it may still activate this device.');
  await toast.getByRole('button', { name: 'Stop waiting' }).press('Enter');
  await expect(toast).toHaveCount(0);
  await expect(page.locator('#content')).toBeFocused();
  await expect(activate).not.toHaveAttribute('aria-disabled');
  // Whatever the server says later is not the outcome of a press.
  await fake.release();
  await activate.click();
  await expect.poll(async () => (await fake.calls('activateLicense')).length).toBe(2);
  await expect(toast).toHaveCount(0);
});

test('during a slow first check, nothing is said to be missing, and the check is announced once', async ({
  page,
  open,
}) => {
  const state = firstRunState(now);
  const fake = await open({ ...state, license: { kind: 'unknown' }, syncing: true });
  const header = page.getByRole('status', { name: 'License state' });
  await expect(header).toContainText('Checking with the server…');
  await expect(header).not.toContainText('Latchkey will check it');
  const device = page.getByRole('region', { name: 'This device' });
  await expect(device).toContainText('Studio Mac');
  await expect(device).not.toContainText('Not activated');
  await fake.push(state);
  await expect(device).toContainText('Not activated');
});

test('the state header announces its message as a whole, and neither its buttons nor the time of the last check', async ({
  page,
  open,
}) => {
  await open(offlineState(now));
  const state = page.getByRole('status', { name: 'License state' });
  const announced = (element: Element) => element.closest('[aria-live], [role="status"]')?.getAttribute('aria-live');
  for (const button of await state.getByRole('button').all()) expect(await button.evaluate(announced)).toBe('off');
  expect(await state.getAttribute('aria-atomic')).toBe('false');
  const message = state.locator('[aria-atomic="true"]');
  await expect(message).toHaveText(/^Offline since .* Everything works until .*\.$/);
  expect(await message.evaluate(announced)).toBeNull();
});

for (const width of [1040, 400]) {
  test(`${width} px wide, a check that changes nothing says that it is done, also to screen readers`, async ({
    page,
    open,
  }) => {
    await page.setViewportSize({ width, height: 720 });
    await page.clock.install({ time: now });
    await open(filledState(now), {
      script: {
        syncNow: [
          { result: { ok: false, failure: sampleFailure('STORE_UNAVAILABLE', now) } },
          { result: { ok: true, value: null } },
        ],
      },
    });
    const state = page.getByRole('status', { name: 'License state' });
    const done = state.locator('[aria-live="polite"]');
    const mark = state.getByRole('button', { name: 'Check now', exact: true }).locator('.lucide-check');
    await state.getByRole('button', { name: 'Check now' }).click();
    await expect(page.getByRole('alert')).toBeVisible();
    await expect(done).toBeEmpty();
    await state.getByRole('button', { name: 'Check now' }).click();
    await expect(done).toHaveText('The check is done.');
    await expect(mark).toBeVisible();
    // The next one can be seen and heard too.
    await page.clock.fastForward(5000);
    await expect(mark).toHaveCount(0);
    await expect(done).toBeEmpty();
  });
}

test('without a warning there is no landmark for them, and the first one is announced', async ({ page, open }) => {
  const fake = await open(filledState(now));
  await expect(page.locator('.warnings')).toHaveAttribute('aria-live', 'polite');
  await expect(page.getByRole('region', { name: 'Warnings' })).toHaveCount(0);
  await fake.push({ warnings: [{ id: 'w', text: 'Many networks.', since: new Date(now).toISOString() }] });
  await expect(page.getByRole('region', { name: 'Warnings' })).toContainText('Many networks.');
});

test('a warning of the server says who noticed it, so that it is not taken for the state above it', async ({
  page,
  open,
}) => {
  const since = new Date(now - 120_000).toISOString();
  await open({
    ...firstRunState(now),
    warnings: [{ id: 'w', text: 'This device is not activated on your license.', since }],
  });
  await expect(page.getByRole('region', { name: 'Warnings' })).toContainText('Noticed by the server 2 minutes ago.');
});

test('after the clock was set back, what has happened is not still to come', async ({ page, open }) => {
  const noon = Date.parse('2026-03-03T11:00:00.000Z');
  await page.clock.setFixedTime(noon - 3 * 3_600_000);
  const filled = filledState(noon);
  await open({ ...filled, heartbeat: { ...filled.heartbeat, lastAt: from(noon, 0) } });
  const device = page.getByRole('region', { name: 'This device' });
  await expect(device).toContainText('3 March 2026 at 12:00');
  await expect(device.getByText(/^in /)).toHaveCount(0);
  await expect(page.getByRole('status', { name: 'License state' })).toContainText('Checked 3 March 2026 at 11:58');
  // The server's clock may be a little ahead.
  await page.clock.setFixedTime(noon - 60_000);
  await page.reload();
  await expect(device).toContainText('just now');
});
