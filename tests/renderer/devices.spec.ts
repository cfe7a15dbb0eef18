/** The devices screen: activation, device limit, list, release and export. */
import { formatLicenseKey } from '../../shared/formats/license-key.ts';
import type { Replacement } from '../../shared/ipc/activation-outcome.ts';
import {
  blockedState,
  featuresOf,
  filledState,
  firstRunState,
  from,
  offlineState,
  sampleDevice,
  sampleDevices,
  sampleFailure,
} from './sample-states.ts';
import { expect, test } from './window-fixture.ts';

const now = Date.now();
const hash = '#devices';
const limitReached = (replacement: Replacement, maxActivations = 3, placeFreeAt: string | null = null) =>
  ({ kind: 'device-limit-reached', maxActivations, placeFreeAt, replacement }) as const;
const listed = (...devices: readonly ReturnType<typeof sampleDevice>[]): Replacement => ({
  kind: 'devices',
  devices,
  lookAlikes: [],
});
const goodKey = 'SVC-7QK2-90AB-CDEF-GH1T';

test('typing a key shows hints and never blocks sending it', async ({ page, open }) => {
  const fake = await open(firstRunState(now), {
    hash,
    script: { activateLicense: [{ result: { ok: false, failure: sampleFailure('LICENSE_NOT_FOUND', now) } }] },
  });
  const field = page.getByLabel('License key');
  await field.fill('SVC-7QK2');
  await expect(page.getByText('12 more characters.')).toBeVisible();
  await field.fill('SVC-7QK2-90AB-CDEF-GH1U');
  await expect(page.getByText('License keys do not contain')).toBeVisible();
  await field.fill('SVC-0000-0000-0000-0001');
  await expect(page.getByText('One character looks mistyped.')).toBeVisible();
  await field.fill('svc 0000 0000 0000 000o');
  await expect(page.getByText('Looks right.')).toBeVisible();
  await field.fill('LAB_7/x.33');
  await expect(page.getByText('License keys usually start with SVC.')).toBeVisible();
  await page.getByRole('button', { name: 'Activate this device' }).click();
  await expect
    .poll(async () => (await fake.calls('activateLicense')).map(({ input }) => input))
    .toEqual([{ licenseKey: 'LAB_7/x.33' }]);
});

/** A success that the server tells late. */
const held = {
  result: { ok: true, value: { kind: 'activated', activations: 1, maxActivations: 3 } },
  isHeld: true,
} as const;

test('an activation at a slow server says so after some seconds, and the user can stop waiting', async ({
  page,
  open,
}) => {
  await page.clock.install({ time: now });
  const fake = await open(firstRunState(now), { hash, script: { activateLicense: [held] } });
  await page.getByLabel('License key').fill('SVC-AB12-CD34-EF56-GH7X');
  const activate = page.getByRole('button', { name: 'Activate this device' });
  await activate.click();
  await expect.poll(async () => (await fake.calls('activateLicense')).length).toBe(1);
  await page.clock.fastForward(4000);
  await expect(page.getByText('If you stop waiting, it may still activate this device.')).toBeVisible();
  await page.getByRole('button', { name: 'Stop waiting' }).click();
  await expect(activate).toBeFocused();
  await expect(activate).not.toHaveAttribute('aria-disabled');
  // Whatever the server says later is not the outcome of a press.
  await fake.release();
  await page.getByLabel('License key').fill('SVC-AB12-CD34-EF56-GH7X');
  await activate.click();
  await expect.poll(async () => (await fake.calls('activateLicense')).length).toBe(2);
  await expect(page.locator('.toast')).toHaveCount(0);
});

test('a key that the server accepts after the user has stopped waiting is no longer in the field, unlike one typed since', async ({
  page,
  open,
}) => {
  await page.clock.install({ time: now });
  const fake = await open(firstRunState(now), { hash, script: { activateLicense: [held] } });
  const field = page.getByLabel('License key');
  const stopWaiting = async (times: number) => {
    await page.getByRole('button', { name: 'Activate this device' }).click();
    await expect.poll(async () => (await fake.calls('activateLicense')).length).toBe(times);
    await page.clock.fastForward(4000);
    await page.getByRole('button', { name: 'Stop waiting' }).click();
  };
  await field.fill('SVC-AB12-CD34-EF56-GH7X');
  await stopWaiting(1);
  await fake.release();
  await expect(field).toHaveValue('');
  await field.fill('SVC-AB12-CD34-EF56-GH7X');
  await stopWaiting(2);
  await field.fill('SVC-7QK2');
  await fake.release();
  await fake.push({ thisDevice: filledState(now).thisDevice, license: filledState(now).license });
  await page.getByRole('button', { name: 'Use another license key' }).click();
  await expect(field).toHaveValue('SVC-7QK2');
});

test('after a paste or a command, the focus is in the field for the key, wherever it was', async ({ page, open }) => {
  const received = formatLicenseKey(Array.from({ length: 15 }, (_, index) => index));
  await open(firstRunState(now));
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate(
    (copied) => navigator.clipboard.writeText(copied),
    `${received}, again: ${received.toLowerCase()}`,
  );
  const field = page.getByLabel('License key');
  const command = async () => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type('enter license');
    await page.keyboard.press('Enter');
  };
  for (const ask of [command, () => page.keyboard.press('Control+v')]) {
    await page.getByRole('link', { name: 'Overview' }).click();
    await ask();
    await expect(field).toBeFocused();
    await page.getByRole('button', { name: 'Check now' }).focus();
    await ask();
    await expect(field).toBeFocused();
  }
  // The same key twice is one key.
  await expect(field).toHaveValue(received);
});

test('a key that is pasted anywhere, also with the text around it, is in its field, and nothing is sent', async ({
  page,
  open,
}) => {
  const received = formatLicenseKey(Array.from({ length: 15 }, (_, index) => index));
  const fake = await open(firstRunState(now));
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const paste = async (text: string) => {
    await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
    await page.keyboard.press('Control+v');
  };
  const field = page.getByLabel('License key');
  await paste('Hello Ada, see you at the lab.');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview');
  await paste(`Your license key: ${received}.\nIt is for three devices.`);
  await expect(field).toHaveValue(received);
  await expect(field).toBeFocused();
  await field.fill('');
  await page.getByRole('button', { name: 'Activate this device' }).click();
  await expect(page.getByText('Enter your license key.')).toBeVisible();
  await field.focus();
  await paste(`Key: ${received}`);
  await expect(field).toHaveValue(received);
  await expect(page.getByText('Enter your license key.')).toHaveCount(0);
  // Which of two is meant is for the user to say.
  await field.fill('');
  await paste(`${received} or SVC-0000-0000-0000-0000`);
  await expect(field).toHaveValue(`${received} or SVC-0000-0000-0000-0000`);
  expect(await fake.calls('activateLicense')).toEqual([]);
  // A device that works needs no key.
  await fake.push(filledState(now));
  await page.getByRole('link', { name: 'Overview' }).click();
  await paste(received);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview');
});

test('a key that is pasted while a choice or a switch has the focus, which take no text, is in its field', async ({
  page,
  open,
}) => {
  const received = formatLicenseKey(Array.from({ length: 15 }, (_, index) => index));
  const state = firstRunState(now);
  await open({ ...state, app: { ...state.app, runtime: 'electron' } }, { hash: '#settings' });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), received);
  for (const control of [page.getByRole('combobox', { name: 'Language' }), page.getByRole('switch').first()]) {
    await page.getByRole('link', { name: 'Settings' }).click();
    await control.focus();
    await page.keyboard.press('Control+v');
    await expect(page.getByLabel('License key')).toHaveValue(received);
    await page.getByLabel('License key').fill('');
  }
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByLabel('Server address').fill('');
  await page.keyboard.press('Control+v');
  await expect(page.getByLabel('Server address')).toHaveValue(received);
});

test('a key that is being typed stays while another screen or the sign-in is shown, for its user only', async ({
  page,
  open,
}) => {
  const state = firstRunState(now);
  const { session } = state;
  if (session.kind !== 'signed-in') throw new Error('nobody is signed in');
  const fake = await open(state, { hash: '#devices' });
  const field = page.getByLabel('License key');
  await field.fill('SVC-7QK2-90AB');
  await page.getByRole('link', { name: 'Features' }).click();
  await page.getByRole('link', { name: 'Devices' }).click();
  await expect(field).toHaveValue('SVC-7QK2-90AB');
  const signedOut = (reason: 'session-expired' | null) => fake.push({ session: { kind: 'signed-out', reason } });
  await signedOut('session-expired');
  await expect(page.getByLabel('Email')).toBeVisible();
  await fake.push({ session });
  await expect(field).toHaveValue('SVC-7QK2-90AB');
  await signedOut('session-expired');
  await fake.push({ session: { ...session, user: { ...session.user, id: 'another' } } });
  await expect(field).toHaveValue('');
  await fake.push({ session });
  await expect(field).toHaveValue('SVC-7QK2-90AB');
  await signedOut(null);
  await expect(page.getByLabel('Email')).toBeVisible();
  await fake.push({ session });
  await page.getByRole('link', { name: 'Devices' }).click();
  await expect(field).toHaveValue('');
});

test('an activation is announced and its license is shown', async ({ page, open }) => {
  await open(firstRunState(now), {
    hash,
    script: {
      activateLicense: [
        {
          result: { ok: true, value: { kind: 'activated', activations: 2, maxActivations: 3 } },
          state: filledState(now),
        },
      ],
    },
  });
  await page.getByLabel('License key').fill(goodKey);
  await page.keyboard.press('Enter');
  await expect(page.getByText('This device is activated. 2 of 3 activations used.')).toBeVisible();
  await expect(page.getByText('SVC-7QK2...M4XD')).toBeVisible();
  await expect(page.getByLabel('License key')).toHaveCount(0);
  await page.getByRole('button', { name: 'Use another license key' }).click();
  await expect(page.getByLabel('License key')).toBeVisible();
});

test('released devices that keep their place and the last new device are listed with their dates', async ({
  page,
  open,
}) => {
  const filled = filledState(now);
  const released = [
    { activationId: 'a-9', keyPreview: 'SVC-7QK2...M4XD', name: 'Field Laptop', platform: 'linux x64' },
  ].map((device) => ({ ...device, placeFreeAt: '2026-12-03T12:34:20.000Z' }));
  const newDevices = [{ keyPreview: 'SVC-7QK2...M4XD', remaining: 1, until: '2026-12-03T00:00:00.000Z' }];
  await open({ ...filled, places: { released, newDevices } }, { hash });
  const list = page.getByRole('list', { name: 'Released devices that keep their place' });
  await expect(list).toContainText(/Field Laptop.*its place is free from .*December.* 2026 at .*:35/);
  await expect(page.getByText(/You can use the license on 1 more new device until .*December.* 2026/)).toBeVisible();
});

test('when the server says when a place is free, the dialog says so and offers nothing before', async ({
  page,
  open,
}) => {
  const value = limitReached({ kind: 'wait' }, 3, '2026-12-03T12:34:20.000Z');
  await open(firstRunState(now), { hash, script: { activateLicense: [{ result: { ok: true, value } }] } });
  await page.getByLabel('License key').fill(goodKey);
  await page.keyboard.press('Enter');
  await expect(page.getByText(/no place for another device until .*December.* 2026 at .*:35/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Replace' })).toHaveCount(0);
});

test('a device that cannot be replaced yet is named with the time, and the others are still offered', async ({
  page,
  open,
}) => {
  const [, cart, bench] = sampleDevices(now);
  if (cart === undefined || bench === undefined) throw new Error('too few sample devices');
  const refused = limitReached(listed(bench, cart), 3, '2026-12-03T12:34:20.000Z');
  await open(firstRunState(now), {
    hash,
    script: {
      activateLicense: [
        { result: { ok: true, value: limitReached(listed(bench, cart)) } },
        { result: { ok: true, value: refused } },
      ],
    },
  });
  await page.getByLabel('License key').fill(goodKey);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Replace' }).first().click();
  const alert = page.getByRole('alert');
  await expect(alert).toContainText(`${bench.name} cannot be replaced before`);
  await expect(alert).toContainText(/December.* 2026 at .*:35/);
  await expect(page.getByRole('button', { name: 'Replace' })).toHaveCount(2);
});

test('an unknown key shows an alert that says what to do', async ({ page, open }) => {
  await open(firstRunState(now), {
    hash,
    script: { activateLicense: [{ result: { ok: false, failure: sampleFailure('LICENSE_NOT_FOUND', now) } }] },
  });
  await page.getByRole('button', { name: 'Activate this device' }).click();
  await expect(page.getByText('Enter your license key.')).toBeVisible();
  await page.getByLabel('License key').fill(goodKey);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toContainText('There is no license with this key.');
});

test('at the limit the devices are offered in the order of the outcome, and Replace works without confirmation', async ({
  page,
  open,
}) => {
  const [, cart, bench] = sampleDevices(now);
  if (cart === undefined || bench === undefined) throw new Error('too few sample devices');
  const fake = await open(firstRunState(now), {
    hash,
    script: {
      activateLicense: [
        { result: { ok: true, value: limitReached(listed(bench, cart)) } },
        {
          result: { ok: true, value: { kind: 'activated', activations: 3, maxActivations: 3 } },
          state: filledState(now),
        },
      ],
    },
  });
  await page.getByLabel('License key').fill(goodKey);
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Device limit reached' });
  const rows = dialog.getByRole('list', { name: 'Devices' }).getByRole('listitem');
  await expect(rows).toHaveCount(2);
  await expect(rows.first()).toContainText('Lab bench 4');
  await expect(rows.first()).toContainText('stale');
  await rows.first().getByRole('button', { name: 'Replace', exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText('Lab bench 4 was replaced by this device.')).toBeVisible();
  const [, second] = await fake.calls('activateLicense');
  expect(second?.input).toEqual({ licenseKey: goodKey, replaces: 'a-3' });
});

test('if another device takes the freed activation, the dialog says so, shows the new list and stays open', async ({
  page,
  open,
}) => {
  const [, cart, bench] = sampleDevices(now);
  const rival = sampleDevice(now, { activationId: 'a-9', name: 'Rival laptop' });
  if (cart === undefined || bench === undefined) throw new Error('too few sample devices');
  const fake = await open(firstRunState(now), {
    hash,
    script: {
      activateLicense: [
        { result: { ok: true, value: limitReached(listed(cart, bench), 2) } },
        { result: { ok: true, value: limitReached(listed(cart, rival), 1) } },
        { result: { ok: true, value: { kind: 'activated', activations: 2, maxActivations: 2 } } },
      ],
    },
  });
  await page.getByLabel('License key').fill(goodKey);
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Device limit reached' });
  const rows = dialog.getByRole('list', { name: 'Devices' }).getByRole('listitem');
  await expect(dialog.getByRole('alert')).toHaveCount(0);
  await rows.filter({ hasText: 'Lab bench 4' }).getByRole('button', { name: 'Replace' }).click();
  await expect(dialog.getByRole('alert')).toContainText('Another device was activated in the meantime');
  await expect(dialog).toContainText('reached its device limit (1)');
  await expect(rows).toHaveCount(2);
  await expect(rows.filter({ hasText: 'Lab bench 4' })).toHaveCount(0);
  await rows.filter({ hasText: 'Rival laptop' }).getByRole('button', { name: 'Replace' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText('Rival laptop was replaced by this device.')).toBeVisible();
  expect((await fake.calls('activateLicense')).map(({ input }) => input)).toEqual([
    { licenseKey: goodKey },
    { licenseKey: goodKey, replaces: bench.activationId },
    { licenseKey: goodKey, replaces: 'a-9' },
  ]);
});

test('if the list could not be loaded, the dialog says so, and trying again shows it', async ({ page, open }) => {
  const failure = sampleFailure('SERVER_UNREACHABLE', now);
  const fake = await open(firstRunState(now), {
    hash,
    script: {
      activateLicense: [
        { result: { ok: true, value: limitReached({ kind: 'list-failed', failure }) } },
        { result: { ok: false, failure: sampleFailure('RATE_LIMITED', now) } },
        { result: { ok: true, value: limitReached(listed(...sampleDevices(now).slice(1))) } },
      ],
    },
  });
  await page.getByLabel('License key').fill(goodKey);
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Device limit reached' });
  const alert = dialog.getByRole('alert');
  const retry = dialog.getByRole('button', { name: 'Try again' });
  await expect(dialog).toContainText('the list of devices could not be loaded');
  await expect(alert).toContainText('Could not reach the server.');
  await retry.click();
  await expect(alert).toHaveCount(1);
  await expect(alert).toContainText('Too many attempts');
  await retry.click();
  await expect(dialog.getByRole('button', { name: 'Replace' })).toHaveCount(2);
  await expect(alert).toHaveCount(0);
  await expect(retry).toHaveCount(0);
  expect((await fake.calls('activateLicense')).map(({ input }) => input)).toEqual(
    Array.from({ length: 3 }, () => ({ licenseKey: goodKey })),
  );
});

test('if no device is left to replace, trying again activates this device', async ({ page, open }) => {
  const [, cart] = sampleDevices(now);
  if (cart === undefined) throw new Error('too few sample devices');
  await open(firstRunState(now), {
    hash,
    script: {
      activateLicense: [
        { result: { ok: true, value: limitReached(listed(cart)) } },
        { result: { ok: true, value: limitReached(listed()) } },
        {
          result: { ok: true, value: { kind: 'activated', activations: 3, maxActivations: 3 } },
          state: filledState(now),
        },
      ],
    },
  });
  await page.getByLabel('License key').fill(goodKey);
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Device limit reached' });
  await dialog.getByRole('button', { name: 'Replace' }).click();
  await expect(dialog).toContainText('there is no other device to replace');
  await expect(dialog.getByRole('list', { name: 'Devices' })).toBeHidden();
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText('This device is activated. 3 of 3 activations used.')).toBeVisible();
});

test('a replacement at a slow server says so after some seconds, and the user can stop waiting', async ({
  page,
  open,
}) => {
  await page.clock.install({ time: now });
  const limit = { result: { ok: true, value: limitReached(listed(sampleDevice(now, {}))) } } as const;
  const failed = { result: { ok: false, failure: sampleFailure('SERVER_UNREACHABLE', now) }, isHeld: true } as const;
  const fake = await open(firstRunState(now), { hash, script: { activateLicense: [limit, failed] } });
  await page.getByLabel('License key').fill(goodKey);
  await page.getByRole('button', { name: 'Activate this device' }).click();
  const dialog = page.getByRole('dialog', { name: 'Device limit reached' });
  const replace = dialog.getByRole('button', { name: 'Replace' });
  await replace.click();
  await expect.poll(async () => (await fake.calls('activateLicense')).length).toBe(2);
  await page.clock.fastForward(4000);
  await expect(dialog).toContainText('If you stop waiting, it may still activate this device.');
  await dialog.getByRole('button', { name: 'Stop waiting' }).press('Enter');
  await expect(dialog).not.toContainText('Stop waiting');
  await expect(dialog).toBeFocused();
  await fake.release();
  await expect(dialog.getByRole('alert')).toHaveCount(0);
});

test('the limit dialog closes with Escape and returns the focus', async ({ page, open }) => {
  await open(firstRunState(now), {
    hash,
    script: {
      activateLicense: [{ result: { ok: true, value: limitReached({ kind: 'not-listed' }) } }],
    },
  });
  await page.getByLabel('License key').fill(goodKey);
  await page.getByRole('button', { name: 'Activate this device' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Device limit reached' });
  await expect(dialog).toContainText('cannot list the devices');
  await expect(dialog.getByRole('button', { name: 'Try again' })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('button', { name: 'Activate this device' })).toBeFocused();
});

test('the list marks this device, shows each one’s activity, and asks before releasing', async ({ page, open }) => {
  const fake = await open(filledState(now), { hash });
  const list = page.getByRole('list', { name: 'Devices' });
  await expect(list.getByRole('listitem')).toHaveCount(3);
  await expect(list.getByRole('listitem', { name: 'Studio Mac' })).toContainText('this device');
  await expect(list.getByRole('listitem', { name: 'Recording cart' })).toContainText('idle');
  await expect(list.getByRole('listitem', { name: 'Lab bench 4' })).toContainText('Windows x64');
  expect(await fake.calls('listDevices')).toHaveLength(1);
  await list.getByRole('listitem', { name: 'Lab bench 4' }).getByRole('button', { name: 'Release' }).click();
  const question = page.getByRole('alertdialog', { name: 'Release Lab bench 4?' });
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await question.getByRole('button', { name: 'Release' }).click();
  await expect(question).toBeHidden();
  await expect(page.getByText('Lab bench 4 was released.')).toBeVisible();
  expect((await fake.calls('releaseDevice')).map(({ input }) => input)).toEqual([{ activationId: 'a-3' }]);
});

test('a user without the key of the license, such as on a new computer, is led to a new one', async ({
  page,
  open,
}) => {
  const state = firstRunState(now);
  const fake = await open(state, { hash });
  await page.getByRole('button', { name: 'Get a new key' }).click();
  await expect(page.getByRole('heading', { name: 'License', exact: true })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Replace key…' })).toBeFocused();
  await page.goBack();
  await fake.push({ server: { ...state.server, accountManagement: 'missing' } });
  await expect(page.getByLabel('License key')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Get a new key' })).toHaveCount(0);
});

test('a lost device is released and then signed out among the sessions, which the release alone does not do', async ({
  page,
  open,
}) => {
  const fake = await open(filledState(now), { hash });
  await page.getByRole('listitem', { name: 'Recording cart' }).getByRole('button', { name: 'Release' }).click();
  const question = page.getByRole('alertdialog', { name: 'Release Recording cart?' });
  await question.getByRole('switch', { name: 'It was lost or stolen' }).focus();
  await page.keyboard.press('Space');
  await question.getByRole('button', { name: 'Release' }).click();
  await expect(page.getByRole('heading', { name: 'Sessions' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'End', exact: true })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByText('The session was ended.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Sessions' })).toBeFocused();
  expect(await fake.calls('endSession')).toHaveLength(1);
});

test('this device, and a device of a server without sessions, cannot be signed out that way', async ({
  page,
  open,
}) => {
  const state = filledState(now);
  const fake = await open(state, { hash });
  const release = (name: string) =>
    page.getByRole('listitem', { name }).getByRole('button', { name: 'Release' }).click();
  await release('Studio Mac');
  await expect(page.getByRole('alertdialog')).toBeVisible();
  await expect(page.getByRole('switch')).toHaveCount(0);
  await page.keyboard.press('Escape');
  await fake.push({ server: { ...state.server, accountManagement: 'missing' } });
  await release('Recording cart');
  await expect(page.getByRole('alertdialog')).toBeVisible();
  await expect(page.getByRole('switch')).toHaveCount(0);
});

test('after a release the focus moves to the next row, or to the heading after the last one', async ({
  page,
  open,
}) => {
  const devices = (count: number) => ({ value: sampleDevices(now).slice(0, count), loading: false, failure: null });
  const without = (index: number, count: number) => ({
    ...devices(count),
    value: devices(count).value.filter((_, at) => at !== index),
  });
  await open(filledState(now), {
    hash,
    script: {
      releaseDevice: [
        { result: { ok: true, value: null }, state: { devices: without(1, 3) } },
        { result: { ok: true, value: null }, state: { devices: devices(1) } },
      ],
    },
  });
  const release = async (name: string) => {
    await page.getByRole('listitem', { name }).getByRole('button', { name: 'Release' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Release' }).click();
    await expect(page.getByRole('listitem', { name })).toHaveCount(0);
  };
  await release('Recording cart');
  await expect(
    page.getByRole('listitem', { name: 'Lab bench 4' }).getByRole('button', { name: 'Release' }),
  ).toBeFocused();
  await release('Lab bench 4');
  await expect(page.getByRole('heading', { name: 'Activated devices' })).toBeFocused();
});

for (const route of ['#overview', hash]) {
  test(`a released device is activated again with its saved key (${route})`, async ({ page, open }) => {
    const filled = filledState(now);
    const released = { ...filled.thisDevice, activated: false, activationId: null } as typeof filled.thisDevice;
    const fake = await open(
      { ...firstRunState(now), thisDevice: released },
      {
        hash: route,
        script: {
          activateLicense: [
            { result: { ok: true, value: { kind: 'activated', activations: 0, maxActivations: 0 } }, state: filled },
          ],
        },
      },
    );
    await page.getByRole('button', { name: 'Activate again' }).click();
    await expect(page.getByRole('status', { name: 'License state' })).toContainText('Everything works');
    await expect(page.getByText('This device is activated', { exact: true }).first()).toBeVisible();
    expect((await fake.calls('activateLicense')).map(({ input }) => input)).toEqual([{ licenseKey: '' }]);
  });
}

test('at the limit with the saved key, a device can be replaced', async ({ page, open }) => {
  const filled = filledState(now);
  const released = { ...filled.thisDevice, activated: false, activationId: null } as typeof filled.thisDevice;
  const fake = await open(
    { ...firstRunState(now), thisDevice: released },
    {
      hash,
      script: {
        activateLicense: [
          { result: { ok: true, value: limitReached(listed(...sampleDevices(now).slice(2)), 2) } },
          { result: { ok: true, value: { kind: 'activated', activations: 2, maxActivations: 2 } }, state: filled },
        ],
      },
    },
  );
  await page.getByRole('button', { name: 'Activate again' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).first().click();
  await expect(page.getByText('Lab bench 4 was replaced by this device.')).toBeVisible();
  const [, second] = await fake.calls('activateLicense');
  expect(second?.input).toEqual({ licenseKey: '', replaces: 'a-3' });
});

test('the parts of a row are separated for screen readers', async ({ page, open }) => {
  await page.clock.setFixedTime(now);
  await open(filledState(now), { hash });
  const text = await page.getByRole('listitem', { name: 'Studio Mac' }).textContent();
  expect(text).toMatch(/^Studio Mac this device macOS arm64 · activated .+ active Last seen 2 minutes ago Release$/);
});

test('with devices of several licenses each row names its license', async ({ page, open }) => {
  const value = ['SVC-AAAA...1111', 'SVC-BBBB...2222'].map((keyPreview, index) =>
    sampleDevice(now, { activationId: `a-${index}`, name: 'Studio Mac', keyPreview, isThisDevice: true }),
  );
  await open({ ...filledState(now), devices: { value, loading: false, failure: null } }, { hash });
  const rows = page.getByRole('list', { name: 'Devices' }).getByRole('listitem');
  await expect(rows.nth(0)).toContainText('SVC-AAAA...1111');
  await expect(rows.nth(1)).toContainText('SVC-BBBB...2222');
});

test('the list has this device first, then the most recently seen, and can be searched by name and platform', async ({
  page,
  open,
}) => {
  const value = Array.from({ length: 100 }, (_, index) =>
    sampleDevice(now, {
      activationId: `a-${index}`,
      name: `Bench ${index}`,
      platform: index === 42 ? 'win32 x64' : 'linux x64',
      lastSeenAt: from(now, (index - 200) * 60_000),
      isThisDevice: index === 7,
    }),
  );
  await open({ ...filledState(now), devices: { value, loading: false, failure: null } }, { hash });
  const rows = page.getByRole('list', { name: 'Devices' }).getByRole('listitem');
  await expect(rows).toHaveCount(100);
  await expect(rows.nth(0)).toContainText('Bench 7');
  await expect(rows.nth(1)).toContainText('Bench 99');
  await expect(rows.nth(2)).toContainText('Bench 98');
  for (const text of ['bench 42', ' WINDOWS ']) {
    await page.getByLabel('Find a device').fill(text);
    await expect(rows).toHaveCount(1);
    await expect(rows).toContainText('Bench 42');
  }
  await page.getByLabel('Find a device').fill('nowhere');
  await expect(page.getByText('No matching devices.')).toBeVisible();
});

/** Ten devices of one license and two of another, seen at different times. */
function labDevices() {
  const names = [
    'Bench 10',
    'Bench 2',
    'Äther',
    'Zimmer 1',
    ...Array.from({ length: 8 }, (_, index) => `Cart ${index}`),
  ];
  return names.map((name, index) =>
    sampleDevice(now, {
      activationId: `a-${index}`,
      name,
      deviceId: `HW-0000000${index.toString(16).toUpperCase()}-ADAADAAD-01234567-89ABCDEF`,
      keyPreview: index < 2 ? 'SVC-Z58Q...ADKZ' : 'SVC-AB12...WXYZ',
      lastSeenAt: from(now, -index * 20 * 86_400_000),
      activatedAt: from(now, -(400 - index) * 86_400_000),
      activity: index === 0 ? 'active' : index === 1 ? 'idle' : 'stale',
      isThisDevice: index === 3,
    }),
  );
}

test('a long list is sorted as chosen, with this device first, and searched by license and device id too', async ({
  page,
  open,
}) => {
  const value = labDevices();
  await open({ ...filledState(now), devices: { value, loading: false, failure: null } }, { hash });
  const rows = page.getByRole('list', { name: 'Devices' }).getByRole('listitem');
  const firstNames = async () => (await rows.locator('bdi').allTextContents()).slice(0, 4);
  const sort = page.getByLabel('Sort by');
  await expect.poll(firstNames).toEqual(['Zimmer 1', 'Bench 10', 'Bench 2', 'Äther']);
  await sort.selectOption('Name');
  await expect.poll(firstNames).toEqual(['Zimmer 1', 'Äther', 'Bench 2', 'Bench 10']);
  await sort.selectOption('Not seen for the longest time');
  await expect.poll(firstNames).toEqual(['Zimmer 1', 'Cart 7', 'Cart 6', 'Cart 5']);
  await sort.selectOption('Date of activation');
  await expect.poll(firstNames).toEqual(['Zimmer 1', 'Cart 7', 'Cart 6', 'Cart 5']);
  const find = page.getByLabel('Find a device');
  for (const [text, count] of [
    ['adkz', 2],
    ['hw-00000003', 1],
    ['ada', 0],
  ] as const) {
    await find.fill(text);
    await expect(rows).toHaveCount(count);
    await expect(page.getByRole('status').filter({ hasText: `${count} devi` })).toHaveText(/^\d+ devices? found$/);
  }
  await page.getByRole('button', { name: 'Show all devices' }).press('Enter');
  await expect(find).toBeFocused();
  await expect(rows).toHaveCount(12);
});

test('devices that were not seen lately are shown alone and released together, after a failure the rest', async ({
  page,
  open,
}) => {
  const value = labDevices();
  const failure = sampleFailure('RATE_LIMITED', now);
  const done = { result: { ok: true, value: null } } as const;
  const devices = { value: value.slice(0, 4), loading: false, failure: null };
  const fake = await open(
    { ...filledState(now), devices: { value, loading: false, failure: null } },
    { hash, script: { releaseDevice: [done, { result: { ok: false, failure } }, { ...done, state: { devices } }] } },
  );
  const rows = page.getByRole('list', { name: 'Devices' }).getByRole('listitem');
  await page.getByLabel('Show', { exact: true }).selectOption('Not seen for 30 days');
  await expect(rows).toHaveCount(10);
  const releaseThese = page.getByRole('button', { name: 'Release these 9 devices…' });
  await releaseThese.click();
  const question = page.getByRole('alertdialog', { name: 'Release 9 devices?' });
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await question.getByRole('button', { name: 'Release' }).click();
  await expect(question.getByRole('alert')).toContainText('Too many attempts');
  await expect(question.getByRole('status')).toHaveText('8 devices left');
  await question.getByRole('button', { name: 'Release' }).click();
  await expect(question).toHaveCount(0);
  await expect(page.getByText('9 devices were released.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Activated devices' })).toBeFocused();
  const ids = (await fake.calls('releaseDevice')).map(({ input }) => (input as { activationId: string }).activationId);
  expect(ids.filter((id, index) => ids.indexOf(id) === index)).toHaveLength(9);
  expect(ids).toHaveLength(10);
  expect(ids).not.toContain('a-3');
});

test('a failed load keeps the known devices and can be retried', async ({ page, open }) => {
  const failure = sampleFailure('SERVER_UNREACHABLE', now);
  const fake = await open(
    { ...filledState(now), devices: { value: sampleDevices(now), loading: false, failure } },
    { hash },
  );
  await expect(page.getByRole('alert')).toContainText('Could not reach the server.');
  await expect(page.getByRole('list', { name: 'Devices' }).getByRole('listitem')).toHaveCount(3);
  await page.getByRole('button', { name: 'Try again' }).click();
  expect(await fake.calls('listDevices')).toHaveLength(2);
});

test('without a connection since the start, the screen says why there is no list, and what was last known', async ({
  page,
  open,
}) => {
  const failure = sampleFailure('SERVER_UNREACHABLE', now);
  await open({ ...filledState(now), devices: { value: null, loading: false, failure } }, { hash });
  const panel = page.getByRole('region', { name: 'Activated devices' });
  await expect(panel).toContainText(
    'The list comes from the server and is not kept on this computer. When your license was last checked, 2 minutes ago, 2 of 3 activations were used.',
  );
});

test('a server that cannot list devices is not asked to', async ({ page, open }) => {
  const state = filledState(now);
  const fake = await open({ ...state, server: { ...state.server, deviceList: 'missing' } }, { hash });
  await expect(page.getByText('This server cannot list devices.')).toBeVisible();
  await expect(page.getByRole('list', { name: 'Devices' })).toHaveCount(0);
  expect(await fake.calls('listDevices')).toEqual([]);
});

for (const route of ['#devices', '#activity']) {
  test(`the history can be exported if the plan includes it; if not, the button names the plan that does (${route})`, async ({
    page,
    open,
  }) => {
    const fake = await open(filledState(now), {
      hash: route,
      script: { exportHistory: [{ result: { ok: true, value: { path: '/home/ada/history.csv' } } }] },
    });
    const button = page.getByRole('button', { name: 'Export history' });
    await button.click();
    await expect(page.getByText('History exported to /home/ada/history.csv.')).toBeVisible();
    await fake.push({ features: featuresOf('free') });
    await expect(button).toBeDisabled();
    await expect(button).toHaveAccessibleDescription('Requires the Standard plan.');
  });
}

test('a released device can also be activated with another key', async ({ page, open }) => {
  const filled = filledState(now);
  const released = { ...filled.thisDevice, activated: false, activationId: null } as typeof filled.thisDevice;
  await open({ ...firstRunState(now), thisDevice: released }, { hash });
  await expect(page.getByRole('button', { name: 'Activate again' })).toBeVisible();
  await expect(page.getByLabel('License key', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Activate this device' })).toBeVisible();
});

test('this device is renamed in a dialog that shows its current name', async ({ page, open }) => {
  const now = Date.now();
  const state = filledState(now);
  const thisDevice = state.thisDevice && { ...state.thisDevice, name: 'Lab bench 4', isNameGiven: true };
  const fake = await open(state, {
    hash: '#devices',
    script: { renameDevice: [{ result: { ok: true, value: null }, state: { thisDevice } }] },
  });
  await page.getByRole('button', { name: 'Rename this device' }).click();
  const field = page.getByRole('textbox', { name: 'Device name' });
  await expect(field).toHaveValue('Studio Mac');
  await expect(field).toBeFocused();
  await field.fill('x'.repeat(201));
  await field.press('Enter');
  await expect(page.getByText('A name has at most 200 characters.')).toBeVisible();
  await field.fill('Lab bench 4');
  await page.getByRole('button', { name: 'Save name' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByText('The device was renamed.')).toBeVisible();
  expect((await fake.calls('renameDevice')).map(({ input }) => input)).toEqual([{ name: 'Lab bench 4' }]);
});

test('renaming offline says that the server learns the name later', async ({ page, open }) => {
  await open(offlineState(Date.now()), { hash: '#devices' });
  await page.getByRole('button', { name: 'Rename this device' }).click();
  await page.getByRole('textbox', { name: 'Device name' }).fill('Lab bench 4');
  await page.keyboard.press('Enter');
  await expect(page.getByText('The server learns of it once it can be reached.')).toBeVisible();
});

test('at the limit, a device that is probably this one before a reinstallation is marked as such', async ({
  page,
  open,
}) => {
  const [, cart, bench] = sampleDevices(now);
  if (!cart || !bench) throw new Error('the sample has three devices');
  const replacement = { kind: 'devices', devices: [cart, bench], lookAlikes: [cart.activationId] } as const;
  await open(firstRunState(now), {
    hash,
    script: { activateLicense: [{ result: { ok: true, value: limitReached(replacement) } }] },
  });
  await page.getByLabel('License key', { exact: true }).fill(goodKey);
  await page.getByRole('button', { name: 'Activate this device' }).click();
  const rows = page.getByRole('dialog').getByRole('listitem');
  await expect(rows.nth(0)).toContainText('Looks like this device before it was reinstalled');
  await expect(rows.nth(1)).not.toContainText('Looks like this device');
});

test('a list of thousands shows a hundred devices, more on request, and any can be found', async ({ page, open }) => {
  const devices = Array.from({ length: 3000 }, (_, index) =>
    sampleDevice(now, { activationId: `a-${index}`, name: `Node ${index}`, lastSeenAt: from(now, -index * 1000) }),
  );
  await open({ ...filledState(now), devices: { value: devices, loading: false, failure: null } }, { hash });
  const rows = page.getByRole('list', { name: 'Devices' }).getByRole('listitem');
  await expect(rows).toHaveCount(100);
  await page.getByRole('button', { name: 'Show 100 more devices' }).press('Enter');
  await expect(rows).toHaveCount(200);
  await expect(rows.nth(100).getByRole('button', { name: 'Release' })).toBeFocused();
  await page.getByLabel('Find a device').fill('Node 2999');
  await expect(rows).toHaveCount(1);
  await expect(page.getByRole('button', { name: /more device/ })).toHaveCount(0);
});

test('another license key: its field takes the focus, and Escape and Cancel return it to the button', async ({
  page,
  open,
}) => {
  await open(filledState(now), { hash });
  const another = page.getByRole('button', { name: 'Use another license key' });
  const field = page.getByLabel('License key');
  for (const cancel of [
    () => page.keyboard.press('Escape'),
    () => page.getByRole('button', { name: 'Cancel' }).click(),
  ]) {
    await another.press('Enter');
    await expect(field).toBeFocused();
    await cancel();
    await expect(field).toHaveCount(0);
    await expect(another).toBeFocused();
  }
});

test('a device whose license is blocked is not asked for the key that it has, but offered to use another', async ({
  page,
  open,
}) => {
  const fake = await open(blockedState(now, 'suspended'), { hash });
  const panel = page.getByRole('region', { name: 'Activate this device' });
  await expect(panel).toContainText('The license SVC-7QK2...M4XD is stored on this device.');
  await expect(panel).not.toContainText('you received by email');
  await expect(panel.getByLabel('License key')).toBeVisible();
  await fake.push(firstRunState(now));
  await expect(panel).toContainText('Enter the license key you received by email');
});

test('an activation that ends while another screen is open says there that it failed, or that the limit was reached', async ({
  page,
  open,
}) => {
  const failed = { ok: false, failure: sampleFailure('LICENSE_NOT_FOUND', now) } as const;
  const limit = { ok: true, value: limitReached(listed(sampleDevice(now))) } as const;
  const fake = await open(firstRunState(now), {
    hash,
    script: {
      activateLicense: [
        { result: failed, isHeld: true },
        { result: limit, isHeld: true },
      ],
    },
  });
  const go = (name: string) => page.getByRole('navigation').first().getByRole('link', { name }).click();
  await page.getByLabel('License key').fill(goodKey);
  for (const text of [/license/i, 'Device limit reached']) {
    await page.getByRole('button', { name: 'Activate this device' }).click();
    await go('Overview');
    await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
    await fake.release();
    const toast = page.getByRole('alert');
    await expect(toast).toContainText(text);
    await toast.getByRole('button', { name: 'Close' }).click();
    await go('Devices');
    await expect(page.getByLabel('License key')).toHaveValue(goodKey);
  }
});

test('the field for the license key takes the focus if it is empty', async ({ page, open }) => {
  await open(firstRunState(now), { hash });
  await page.getByRole('button', { name: 'Activate this device' }).click();
  const field = page.getByLabel('License key');
  await expect(field).toBeFocused();
  await expect(field).toHaveAccessibleDescription('Enter your license key.');
});
