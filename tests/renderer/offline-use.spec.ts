/** Working offline: until when it works, where that is shown, and how to extend it in advance. */
import type { AppState } from '../../shared/ipc/app-state.ts';
import { filledState, firstRunState, from, leasedState, sampleFailure, withServer } from './sample-states.ts';
import { expect, test } from './window-fixture.ts';

const now = Date.now();
const hash = '#devices';
const day = 86_400_000;
const noLease: AppState['lease'] = {
  ...filledState(now).lease,
  state: 'none',
  issuedAt: null,
  renewAfter: null,
  expiresAt: null,
};
/** The date in the time zone of the window under test. */
const longDate = (instant: string) =>
  new Date(instant).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'Europe/Berlin' });

test('the panel shows until when everything works without the server, and renews that on request', async ({
  page,
  open,
}) => {
  const worksUntil = from(now, 20 * day);
  const fake = await open(filledState(now), {
    hash,
    script: {
      renewLease: [
        {
          result: { ok: true, value: null },
          state: { license: { kind: 'works', plan: 'standard', until: null, worksUntil } },
        },
      ],
    },
  });
  const panel = page.getByRole('region', { name: 'Working offline' });
  await expect(panel).toContainText(longDate(from(now, 7 * day)));
  await expect(panel).toContainText(/· in [67] days/);
  await expect(panel).toContainText('Confirmed by the server');
  await panel.getByRole('button', { name: 'Renew now' }).click();
  await expect(page.getByText('Renewed by the server.')).toBeVisible();
  await expect(panel).toContainText(longDate(worksUntil));
  expect(await fake.calls('renewLease')).toHaveLength(1);
});

test('a server that cannot be reached is reported', async ({ page, open }) => {
  const failure = sampleFailure('SERVER_UNREACHABLE', now);
  await open(filledState(now), { hash, script: { renewLease: [{ result: { ok: false, failure } }] } });
  await page.getByRole('button', { name: 'Renew now' }).click();
  await expect(page.getByText('Could not reach the server.')).toBeVisible();
  await expect(page.getByText('Renewed by the server.')).toHaveCount(0);
});

test('a renewal that is due happens at the next check', async ({ page, open }) => {
  const state = filledState(now);
  const fake = await open(state, { hash });
  const panel = page.getByRole('region', { name: 'Working offline' });
  await expect(panel).toContainText(/Renews automatically from/);
  await fake.push({ lease: { ...state.lease, renewAfter: from(now, -day) } });
  await expect(panel).toContainText(/Renews automatically at the next check/);
});

test('without a lease nothing is renewed, since each check extends offline use', async ({ page, open }) => {
  await open(withServer({ ...filledState(now), lease: noLease }, { leases: 'missing' }), { hash });
  const panel = page.getByRole('region', { name: 'Working offline' });
  await expect(panel).toContainText('Each check with the server extends it while your plan lasts.');
  await expect(panel).not.toContainText('Confirmed by the server');
  await expect(panel.getByRole('button')).toHaveCount(0);
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('option', { name: 'Renew offline use' })).toHaveCount(0);
});

test('without a session the panel offers to sign in', async ({ page, open }) => {
  await open(leasedState(now, null), { hash });
  const panel = page.getByRole('region', { name: 'Working offline' });
  await expect(panel).not.toContainText('Renews automatically');
  await panel.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByLabel('Email')).toBeVisible();
});

test('a device on which nothing works does not show the panel', async ({ page, open }) => {
  await open(firstRunState(now), { hash });
  await expect(page.getByRole('heading', { name: 'Activate this device' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Working offline' })).toHaveCount(0);
});

test('the overview shows it too, and the palette renews it', async ({ page, open }) => {
  const fake = await open(filledState(now));
  const fact = page.getByRole('region', { name: 'This device' });
  await expect(fact).toContainText(/Works offline until/);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('renew');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Renewed by the server.')).toBeVisible();
  expect(await fake.calls('renewLease')).toHaveLength(1);
  await fact.getByRole('link', { name: 'Details' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Devices');
});

test('at a slow server, the palette says what is waited for, until the server answers', async ({ page, open }) => {
  await page.clock.install({ time: now });
  const held = { result: { ok: true, value: null }, isHeld: true } as const;
  const fake = await open(filledState(now), { script: { renewLease: [held] } });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('renew');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await fake.calls('renewLease')).length).toBe(1);
  await page.clock.fastForward(1000);
  const announced = page.locator('[aria-live="polite"]');
  await expect(announced.getByText('Waiting for the server to renew offline use…')).toBeVisible();
  await fake.release();
  await expect(announced.getByText('Renewed by the server.')).toBeVisible();
  await expect(page.getByText('Waiting for the server')).toHaveCount(0);
});
