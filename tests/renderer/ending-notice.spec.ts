/** The notice of a subscription that ends, and the setting for notifications. */
import type { AppState } from '../../shared/ipc/app-state.ts';
import type { SettingsChange } from '../../shared/ipc/settings.ts';
import { endingState, filledState, pastDueState, sampleFailure, withSubscription } from './sample-states.ts';
import { expect, test } from './window-fixture.ts';

const now = Date.now();
const withoutLinks = (state: AppState): AppState => ({ ...state, app: { ...state.app, links: [] } });

test('a subscription that ends soon is announced on every screen, with a way to renew it', async ({ page, open }) => {
  const fake = await open(endingState(now), { hash: '#settings' });
  await expect(page.getByText(/^Your subscription ends on /)).toBeVisible();
  await page.getByRole('button', { name: 'See plans' }).click();
  expect(await fake.calls('openLink')).toEqual([{ command: 'openLink', input: { name: 'plans' } }]);
  await fake.push({ session: filledState(now).session });
  await expect(page.getByText(/^Your subscription ends on /)).toHaveCount(0);
});

test('a failed payment is announced at once, with the date on which the subscription ends without one', async ({
  page,
  open,
}) => {
  await open(pastDueState(now));
  const notice = page.getByRole('status').filter({ hasText: 'The last payment for your subscription failed.' });
  await expect(notice).toContainText(
    /Check your payment method\. Without a payment, the subscription ends on \d+ \w+ \d+\./,
  );
  await expect(page.getByText(/^ends /)).toBeVisible();
});

test('a user who returns from the page of plans sees at once what has changed', async ({ page, open }) => {
  const fake = await open(pastDueState(now));
  await page.getByRole('button', { name: 'See plans' }).click();
  expect(await fake.calls('syncNow')).toEqual([]);
  for (const _return of [1, 2]) await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await expect.poll(async () => (await fake.calls('syncNow')).length).toBe(1);
});

test('a trial is not called a subscription when it ends', async ({ page, open }) => {
  await open(withSubscription(endingState(now), { status: 'trialing', cancel_at_period_end: false }));
  await expect(page.getByText(/^Your trial ends on /)).toBeVisible();
});

test('a reminder that would come after the end hides nothing', async ({ page, open }) => {
  const state = endingState(now);
  const remindAt = new Date(now + 4 * 86_400_000).toISOString();
  await open({ ...state, settings: { ...state.settings, remindAt } });
  await expect(page.getByText(/^Your subscription ends on /)).toBeVisible();
});

test('without a page of plans the notice says whom to ask', async ({ page, open }) => {
  await open(withoutLinks(endingState(now)));
  await expect(page.getByText(/^Ask the person who issued your license to renew it/)).toBeVisible();
});

test('a user who wants to be reminded later sees the notice again a day later, and always on the last day', async ({
  page,
  open,
}) => {
  await page.clock.install({ time: now });
  const state = endingState(now);
  const fake = await open(state);
  const notice = page.getByText(/^Your subscription ends on /);
  await page.getByRole('button', { name: 'Remind me later' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('You will be reminded tomorrow.')).toBeVisible();
  const inputs = (await fake.calls('changeSettings')).map(({ input }) => input as SettingsChange);
  const remindAt = inputs[0]?.remindAt ?? '';
  expect(Math.round((Date.parse(remindAt) - now) / 3_600_000)).toBe(24);
  await fake.push({ settings: { ...state.settings, remindAt } });
  await expect(notice).toHaveCount(0);
  await expect(page.locator('#content')).toBeFocused();
  await page.clock.fastForward(25 * 3_600_000);
  await expect(notice).toBeVisible();
  await page.clock.fastForward(24 * 3_600_000);
  await expect(page.getByRole('button', { name: 'Remind me later' })).toHaveCount(0);
  await expect(notice).toBeVisible();
});

test('notifications can be switched in the settings and in the palette, if the app supports them', async ({
  page,
  open,
}) => {
  const state = filledState(now);
  const fake = await open(state, { hash: '#settings' });
  await page.getByRole('switch', { name: 'Show notifications' }).focus();
  await page.keyboard.press('Space');
  await fake.push({ settings: { ...state.settings, notifications: false } });
  await page.keyboard.press('Control+k');
  await page.getByRole('option', { name: 'Turn on notifications' }).click();
  expect(await fake.calls('changeSettings')).toEqual([
    { command: 'changeSettings', input: { notifications: false } },
    { command: 'changeSettings', input: { notifications: true } },
  ]);
  await fake.push({ app: { ...state.app, runtime: 'browser-host' } });
  await expect(page.getByRole('switch', { name: 'Show notifications' })).toHaveCount(0);
});

test('a page of plans that the system cannot open, and a reminder that cannot be stored, are reported', async ({
  page,
  open,
}) => {
  await open(endingState(now), {
    script: {
      openLink: [{ result: { ok: false, failure: sampleFailure('INTERNAL', now) } }],
      changeSettings: [{ result: { ok: false, failure: sampleFailure('STORE_UNAVAILABLE', now) } }],
    },
  });
  const failures = page.getByRole('alert');
  await page.getByRole('button', { name: 'See plans' }).click();
  await expect(failures).toHaveCount(1);
  await page.getByRole('button', { name: 'Remind me later' }).click();
  await expect(failures).toHaveCount(2);
  await expect(page.getByText('You will be reminded tomorrow.')).toHaveCount(0);
});
