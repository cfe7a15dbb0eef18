/** Links and lease files opened with the app, and offline activation. */
import type { Page } from '@playwright/test';
import { hrefOf, routes } from '../../renderer/routing.ts';
import type { LeaseSummary } from '../../shared/ipc/activation-outcome.ts';
import { places } from '../../shared/ipc/open-request.ts';
import { fail, succeed } from '../../shared/ipc/result.ts';
import { filledState, firstRunState, from, sampleDevice, sampleFailure, signedOutState } from './sample-states.ts';
import { expect, test } from './window-fixture.ts';

const now = Date.now();
const activation = { kind: 'activate', id: 'r-1', keyPreview: 'SVC-7QK2...GH1T' } as const;
const summary: LeaseSummary = {
  license: 'SVC-7QK2...GH1T',
  plan: 'standard',
  deviceId: 'HW-01234567-89ABCDEF-01234567-89ABCDEF',
  expiresAt: from(now, 14 * 86_400_000),
};
const lease = 'eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJsaWNlbnNlLXNlcnZpY2UifQ.c2lnbmF0dXJl';
const activated = succeed({ kind: 'activated', activations: 1, maxActivations: 3 } as const);
/** The license state that a lease provides without a sign-in. */
const works = { license: { kind: 'works', plan: 'standard', until: null, worksUntil: summary.expiresAt } } as const;

/** Drops files of these names onto the middle of the window. */
async function drop(page: Page, ...files: readonly { readonly name: string; readonly text: string }[]) {
  await page.evaluate((given) => {
    const dataTransfer = new DataTransfer();
    for (const { name, text } of given) dataTransfer.items.add(new File([text], name));
    const target = document.elementFromPoint(innerWidth / 2, innerHeight / 2) ?? document.body;
    target.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  }, files);
}

test.describe('a link with a license key', () => {
  test('asks for confirmation with its preview, the account and the server, and sends nothing before', async ({
    page,
    open,
  }) => {
    const fake = await open(firstRunState(now), { script: { activateFromLink: [{ result: activated }] } });
    await fake.open(activation);
    const dialog = page.getByRole('alertdialog', { name: 'Activate this device?' });
    for (const text of ['SVC-7QK2...GH1T', 'ada@lab.org', 'https://license.lab.org']) {
      await expect(dialog).toContainText(text);
    }
    // Enter presses nothing: the dialog has the focus, not a button.
    await page.keyboard.press('Enter');
    expect(await fake.calls('activateFromLink')).toEqual([]);
    await dialog.getByRole('button', { name: 'Activate', exact: true }).click();
    await expect(page.getByText('This device is activated. 1 of 3 activations used.')).toBeVisible();
    await expect(dialog).toHaveCount(0);
    expect((await fake.calls('activateFromLink')).map(({ input }) => input)).toEqual([{ id: 'r-1' }]);
    expect(await fake.calls('activateLicense')).toEqual([]);
  });

  test('leaves the focus on the screen, not at the top of the window', async ({ page, open }) => {
    const fake = await open(filledState(now));
    await fake.open(activation);
    const dialog = page.getByRole('alertdialog', { name: 'Activate this device?' });
    await expect(dialog).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    await expect(page.getByRole('main')).toBeFocused();
  });

  test('says if this device already works with that license', async ({ page, open }) => {
    const state = filledState(now);
    const fake = await open(state);
    const dialog = page.getByRole('alertdialog', { name: 'Activate this device?' });
    const keyPreview = state.thisDevice?.license?.keyPreview ?? '';
    await fake.open({ ...activation, keyPreview });
    await expect(dialog).toContainText(`This device already works with the license ${keyPreview}.`);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await fake.open({ ...activation, id: 'r-2' });
    await expect(dialog).toContainText(activation.keyPreview);
    await expect(dialog).not.toContainText('already works');
  });

  test('is discarded when the user cancels', async ({ page, open }) => {
    const fake = await open(filledState(now));
    await fake.open(activation);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect(page.getByRole('alertdialog')).toHaveCount(0);
    expect((await fake.calls('closeOpenRequest')).map(({ input }) => input)).toEqual([{ id: 'r-1' }]);
    expect(await fake.calls('activateFromLink')).toEqual([]);
  });

  test('says after some seconds that the server is slow, and the user can stop waiting', async ({ page, open }) => {
    await page.clock.install({ time: now });
    const fake = await open(firstRunState(now), {
      script: { activateFromLink: [{ result: activated, isHeld: true }] },
    });
    await fake.open(activation);
    const dialog = page.getByRole('alertdialog', { name: 'Activate this device?' });
    const activate = dialog.getByRole('button', { name: 'Activate', exact: true });
    await activate.click();
    await expect.poll(async () => (await fake.calls('activateFromLink')).length).toBe(1);
    await page.clock.fastForward(4000);
    await expect(dialog).toContainText('If you stop waiting, it may still activate this device.');
    await dialog.getByRole('button', { name: 'Stop waiting' }).press('Enter');
    await expect(activate).toBeFocused();
    await expect(activate).not.toHaveAttribute('aria-disabled');
    await expect(dialog).not.toContainText('Stop waiting');
  });

  test('stays open while a notification or the menu opens a place, and while its key is being sent', async ({
    page,
    open,
  }) => {
    const fake = await open(firstRunState(now), {
      script: { activateFromLink: [{ result: activated, isHeld: true }] },
    });
    await fake.open(activation);
    const dialog = page.getByRole('alertdialog', { name: 'Activate this device?' });
    await fake.open({ kind: 'place', id: 'r-2', place: 'settings' });
    await expect(page.getByRole('heading', { level: 1, name: 'Settings', includeHidden: true })).toBeAttached();
    await dialog.getByRole('button', { name: 'Activate', exact: true }).click();
    await fake.open({ kind: 'place', id: 'r-3', place: 'installer' });
    await expect(page.getByRole('heading', { level: 1, name: 'Installer', includeHidden: true })).toBeAttached();
    await expect(dialog).toBeVisible();
    await fake.release();
    await expect(page.getByText('This device is activated. 1 of 3 activations used.')).toBeVisible();
    await expect(dialog).toHaveCount(0);
    expect((await fake.calls('closeOpenRequest')).map(({ input }) => input)).toEqual([
      { id: 'r-2' },
      { id: 'r-3' },
      { id: 'r-1' },
    ]);
  });

  test('waits for the sign-in, which mentions it', async ({ page, open }) => {
    const fake = await open(signedOutState(now), { script: { getOpenRequest: [{ result: activation }] } });
    await expect(page.getByText('Sign in to activate this device with the license key SVC-7QK2...GH1T.')).toBeVisible();
    await expect(page.getByRole('alertdialog')).toHaveCount(0);
    await fake.push(firstRunState(now));
    await expect(page.getByRole('alertdialog', { name: 'Activate this device?' })).toBeVisible();
  });

  test('asks for the sign-in even if a lease works without one', async ({ page, open }) => {
    const fake = await open({ ...signedOutState(now), ...works });
    await fake.open(activation);
    await expect(page.getByRole('heading', { name: 'Sign in to Latchkey' })).toBeVisible();
  });

  test('disappears once it has expired', async ({ page, open }) => {
    const fake = await open(filledState(now));
    await fake.open(activation);
    await expect(page.getByRole('alertdialog')).toBeVisible();
    await fake.open(null);
    await expect(page.getByRole('alertdialog')).toHaveCount(0);
  });

  test('replaces a device at the limit, with the key of the link', async ({ page, open }) => {
    const devices = [sampleDevice(now, { name: 'Old laptop' })];
    const replacement = { kind: 'devices', devices, lookAlikes: [] } as const;
    const limit = { kind: 'device-limit-reached', maxActivations: 1, placeFreeAt: null, replacement } as const;
    const fake = await open(firstRunState(now), {
      script: { activateFromLink: [{ result: succeed(limit) }, { result: activated }] },
    });
    await fake.open(activation);
    await page.getByRole('button', { name: 'Activate', exact: true }).click();
    await page.getByRole('dialog', { name: 'Device limit reached' }).getByRole('button', { name: 'Replace' }).click();
    await expect(page.getByText('Old laptop was replaced by this device.')).toBeVisible();
    expect((await fake.calls('activateFromLink')).map(({ input }) => input)).toEqual([
      { id: 'r-1' },
      { id: 'r-1', replaces: sampleDevice(now).activationId },
    ]);
    await expect(page.locator('dialog[open]')).toHaveCount(0);
  });
});

test.describe('another link', () => {
  test('opens its place, and so does the next one', async ({ page, open }) => {
    const fake = await open(filledState(now));
    await fake.open({ kind: 'place', id: 'r-1', place: 'api-key' });
    await expect(page.getByRole('heading', { level: 1, name: 'API key' })).toBeVisible();
    await fake.open({ kind: 'place', id: 'r-2', place: 'devices' });
    await expect(page.getByRole('heading', { level: 1, name: 'Devices' })).toBeVisible();
    expect((await fake.calls('closeOpenRequest')).map(({ input }) => input)).toEqual([{ id: 'r-1' }, { id: 'r-2' }]);
  });

  test('waits for the sign-in with its place', async ({ page, open }) => {
    const fake = await open(signedOutState(now), {
      script: { getOpenRequest: [{ result: { kind: 'place', id: 'r-1', place: 'activity' } }] },
    });
    await expect(page.getByRole('heading', { name: 'Sign in to Latchkey' })).toBeVisible();
    await fake.push(filledState(now));
    await expect(page.getByRole('heading', { level: 1, name: 'Activity' })).toBeVisible();
  });

  test('that is invalid shows a single toast', async ({ page, open }) => {
    const fake = await open(filledState(now));
    await fake.open({ kind: 'unknown-link', id: 'r-1' });
    await expect(page.getByText('This link is not one of Latchkey’s.')).toHaveCount(1);
  });

  test('can name every place of the sidebar', () => {
    expect(routes.map((route) => hrefOf(route))).toEqual(places.map((place) => `#${place}`));
  });
});

test.describe('an answer file', () => {
  const read = { readLease: [{ result: succeed(summary) }] };

  test('that is opened shows device, plan and end before it is imported', async ({ page, open }) => {
    const fake = await open(signedOutState(now), {
      script: { ...read, importLease: [{ result: succeed(summary), state: works }] },
    });
    await fake.open({ kind: 'import-lease', id: 'r-1', file: { name: 'Studio Mac.lease', text: lease } });
    const dialog = page.getByRole('dialog', { name: 'Import answer' });
    for (const text of ['Studio Mac.lease', summary.deviceId, 'Standard', 'SVC-7QK2...GH1T', 'Works until']) {
      await expect(dialog).toContainText(text);
    }
    expect(await fake.calls('importLease')).toEqual([]);
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await expect(page.getByText(/Imported. Everything works until/)).toBeVisible();
    await expect(page.getByRole('status', { name: 'License state' })).toContainText('Everything works');
    expect((await fake.calls('importLease')).map(({ input }) => input)).toEqual([{ text: lease }]);
  });

  test('can be dropped anywhere on the window, but only one at a time', async ({ page, open }) => {
    const fake = await open(filledState(now), { script: read });
    await drop(page, { name: 'a.lease', text: lease }, { name: 'b.lease', text: lease });
    await expect(page.getByText('Drop one answer file at a time.')).toBeVisible();
    await drop(page, { name: 'notes.txt', text: 'hello' });
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await drop(page, { name: 'Studio Mac.LEASE', text: lease });
    await expect(page.getByRole('dialog', { name: 'Import answer' })).toContainText('Standard');
    expect((await fake.calls('readLease')).map(({ input }) => input)).toEqual([{ text: lease }]);
  });

  test('that is dropped where installers are verified is verified', async ({ page, open }) => {
    const fake = await open(filledState(now), { hash: '#installer' });
    const zone = page.getByRole('region', { name: 'Drop an installer file here' });
    await zone.evaluate((target) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['x'], 'a.lease'));
      target.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    });
    await expect.poll(() => fake.calls('verifyInstaller')).toHaveLength(1);
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });

  test('is requested by its link, and can be chosen or pasted', async ({ page, open }) => {
    const fake = await open(filledState(now), { script: read });
    await fake.open({ kind: 'import-lease', id: 'r-1', file: null });
    const dialog = page.getByRole('dialog', { name: 'Import answer' });
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      dialog.getByRole('button', { name: 'Import answer file…' }).click(),
    ]);
    await chooser.setFiles({ name: 'Studio Mac.lease', mimeType: '', buffer: Buffer.from(`\uFEFF${lease}\n`) });
    await expect(dialog).toContainText('Studio Mac.lease');
    await expect(dialog.getByRole('button', { name: 'Import', exact: true })).toBeVisible();
    await page.keyboard.press('Escape');
    await fake.open({ kind: 'import-lease', id: 'r-2', file: null });
    await dialog.getByRole('button', { name: 'Paste answer' }).click();
    await expect(dialog.getByLabel('Answer', { exact: true })).toBeFocused();
    await dialog.getByLabel('Answer', { exact: true }).fill(`${lease.slice(0, 20)}\n ${lease.slice(20)}`);
    await expect(dialog.getByRole('button', { name: 'Import', exact: true })).toBeVisible();
  });

  test('that is far too long is refused by the client, not by the schema', async ({ page, open }) => {
    const failure = sampleFailure('LEASE_REFUSED', now, { problem: 'malformed' });
    const fake = await open(filledState(now), { script: { readLease: [{ result: fail(failure) }] } });
    await drop(page, { name: 'a.lease', text: 'x'.repeat(100_000) });
    await expect(page.getByRole('alert')).toContainText('This is not an answer to a request file.');
    const [call] = await fake.calls('readLease');
    expect(call?.input).toEqual({ text: 'x'.repeat(16 * 1024 + 1) });
  });

  for (const [problem, what] of [
    ['malformed', 'not an answer to a request file'],
    ['unknown_key', 'Sign in once to the server that signed it'],
    ['wrong_signature', 'changed after it was signed'],
    ['other_device', 'Save a request file on this device'],
    ['other_account', 'Sign out first'],
    ['not_yet_valid', 'Set the clock'],
    ['expired', 'Have your request file signed again'],
    ['older', 'newer answer'],
  ] as const) {
    test(`that is refused as ${problem} says what to do`, async ({ page, open }) => {
      const failure = sampleFailure('LEASE_REFUSED', now, { problem });
      const fake = await open(filledState(now), { script: { readLease: [{ result: fail(failure) }] } });
      await fake.open({ kind: 'import-lease', id: 'r-1', file: { name: 'a.lease', text: lease } });
      await expect(page.getByRole('alert')).toContainText(what);
      await expect(page.getByRole('button', { name: 'Import', exact: true })).toHaveCount(0);
    });
  }

  test('that cannot be read shows a single toast', async ({ page, open }) => {
    const fake = await open(filledState(now));
    await fake.open({ kind: 'unreadable-file', id: 'r-1', fileName: 'a.lease' });
    await expect(page.getByText('a.lease could not be read.')).toBeVisible();
  });

  test('that cannot be read for a known reason says what to do about it', async ({ page, open }) => {
    const fake = await open(filledState(now));
    await fake.open({ kind: 'unreadable-file', id: 'r-1', fileName: 'a.lease', fileProblem: 'unreachable' });
    await expect(
      page.getByText(/^a.lease could not be read. The drive or network share does not respond./),
    ).toBeVisible();
  });
});

test('a link that is declined before signing in leaves the focus in the form', async ({ page, open }) => {
  const fake = await open(signedOutState(now));
  await fake.open(activation);
  await page.getByRole('status').getByRole('button', { name: 'Cancel' }).click();
  expect(await fake.calls('closeOpenRequest')).toHaveLength(1);
  await expect(page.getByLabel('Email')).toBeFocused();
});

test.describe('offline activation', () => {
  const rows = Array.from({ length: 45 }, (_, y) => Array.from({ length: 45 }, (__, x) => (x + y) % 2 === 0));

  test('saves a request with the key that is typed above', async ({ page, open }) => {
    const fake = await open(firstRunState(now), {
      hash: '#devices',
      script: { saveLeaseRequest: [{ result: succeed({ path: '/home/ada/latchkey-request-Studio Mac.json' }) }] },
    });
    await page.getByLabel('License key').fill('SVC-7QK2-90AB-CDEF-GH1T');
    await page.getByRole('button', { name: 'Save request file…' }).click();
    await expect(page.getByText(/latchkey-request-Studio Mac.json. The file contains your license key/)).toBeVisible();
    expect((await fake.calls('saveLeaseRequest')).map(({ input }) => input)).toEqual([
      { licenseKey: 'SVC-7QK2-90AB-CDEF-GH1T' },
    ]);
  });

  test('asks for the key if there is none', async ({ page, open }) => {
    const failure = fail(sampleFailure('LICENSE_NOT_FOUND', now));
    await open(firstRunState(now), { hash: '#devices', script: { showLeaseRequest: [{ result: failure }] } });
    await page.getByRole('button', { name: 'Show QR code' }).click();
    await expect(page.getByRole('alert')).toHaveText('Enter your license key first.');
  });

  test('shows the QR code only after a click, and says that it contains the key', async ({ page, open }) => {
    const fake = await open(filledState(now), {
      hash: '#devices',
      script: { showLeaseRequest: [{ result: succeed({ rows }) }] },
    });
    const code = page.getByRole('img', { name: 'QR code of the request' });
    await expect(page.getByRole('button', { name: 'Show QR code' })).toBeVisible();
    expect(await fake.calls('showLeaseRequest')).toEqual([]);
    await page.getByRole('button', { name: 'Show QR code' }).click();
    await expect(code).toBeVisible();
    await expect(page.getByText('This code contains your license key.')).toBeVisible();
    // Dark on light in every theme.
    expect(await code.evaluate((svg) => [getComputedStyle(svg).fill, getComputedStyle(svg).backgroundColor])).toEqual([
      'oklch(0 0 0)',
      'oklch(1 0 0)',
    ]);
  });

  test('can be reached from the sign-in screen', async ({ page, open }) => {
    const fake = await open(signedOutState(now), {
      script: {
        saveLeaseRequest: [{ result: succeed({ path: '/a.json' }) }],
        readLease: [{ result: succeed(summary) }],
        importLease: [{ result: succeed(summary) }],
      },
    });
    await page.getByRole('button', { name: 'Offline activation' }).click();
    const dialog = page.getByRole('dialog', { name: 'Offline activation' });
    await dialog.getByLabel('License key').fill('svc 7qk2');
    await dialog.getByRole('button', { name: 'Save request file…' }).click();
    await expect.poll(() => fake.calls('saveLeaseRequest')).toMatchObject([{ input: { licenseKey: 'svc 7qk2' } }]);
    await dialog.getByRole('button', { name: 'Paste answer' }).click();
    await page.getByLabel('Answer', { exact: true }).fill(lease);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await expect(page.getByText(/Imported. Everything works until/)).toBeVisible();
  });

  test('keeps the typed key when its QR code is closed or no file is chosen', async ({ page, open }) => {
    await open(signedOutState(now), { script: { showLeaseRequest: [{ result: succeed({ rows }) }] } });
    await page.getByRole('button', { name: 'Offline activation' }).click();
    const dialog = page.getByRole('dialog', { name: 'Offline activation' });
    await dialog.getByLabel('License key').fill('svc 7qk2');
    await dialog.getByRole('button', { name: 'Show QR code' }).click();
    const code = page.getByRole('dialog', { name: 'QR code of the request' });
    await expect(code).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(code).toHaveCount(0);
    // The event of a browser whose file dialog is canceled.
    await dialog.locator('input[type=file]').dispatchEvent('cancel', { bubbles: true });
    await expect(dialog.getByLabel('License key')).toHaveValue('svc 7qk2', { timeout: 1000 });
    await dialog.getByLabel('License key').press('Escape');
    await expect(dialog).toHaveCount(0);
  });

  test('is not offered if the server signs no leases', async ({ page, open }) => {
    const state = filledState(now);
    await open({ ...state, server: { ...state.server, leases: 'missing' } }, { hash: '#devices' });
    await expect(page.getByRole('heading', { name: 'Activated devices' })).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Offline activation' })).toHaveCount(0);
  });
});
