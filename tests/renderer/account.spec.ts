/** The account: user, plan, subscription and license, as a summary and in detail. */
import type { AppState } from '../../shared/ipc/app-state.ts';
import { filledState, from, sampleAccount, withServer } from './sample-states.ts';
import { expect, test } from './window-fixture.ts';

const now = Date.parse('2027-02-10T12:00:00Z');
const day = 86_400_000;

function withAccount(part: Partial<ReturnType<typeof sampleAccount>> | null): AppState {
  const state = filledState(now);
  const user = { id: 'u-1', email: 'ada@lab.org', full_name: 'Ada Lovelace' };
  const account = part === null ? null : { ...sampleAccount(now), ...part };
  return { ...state, session: { kind: 'signed-in', user, account } };
}

test.beforeEach(({ page }) => page.clock.setFixedTime(now));

test('the settings show every detail', async ({ page, open }) => {
  await open(filledState(now), { hash: '#settings' });
  const account = page.getByRole('region', { name: 'Account' });
  for (const text of [
    'Full name Ada Lovelace',
    'Email ada@lab.org',
    'Plan Standard',
    'Subscription Active',
    'Current period 31 January – 2 March 2027',
    'Renews 2 March 2027',
    'License SVC-7QK2...M4XD · Active',
    'Activations 2 of 3 used',
  ]) {
    await expect(account).toContainText(text);
  }
});

test('the overview shows a summary', async ({ page, open }) => {
  await open(filledState(now));
  const account = page.getByRole('region', { name: 'Account' });
  await expect(account).toContainText('Plan Standard · renews 2 March');
  await account.getByRole('link', { name: 'All details' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Settings');
});

test('the email address is loaded again when the user returns to the window, if the server tells it', async ({
  page,
  open,
}) => {
  const state = filledState(now);
  const fake = await open(withServer(state, { reachability: { kind: 'unknown' } }));
  const asked = async () => (await fake.calls('loadEmail')).length;
  const comeBack = () => page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await comeBack();
  expect(await asked()).toBe(0);
  await fake.push({ server: state.server });
  await expect.poll(asked).toBe(1);
  await comeBack();
  await expect.poll(asked).toBe(2);
  await page.getByRole('link', { name: 'Settings' }).click();
  await expect.poll(asked).toBe(3);
  await comeBack();
  await expect.poll(asked).toBe(4);
  await page.getByRole('link', { name: 'Overview' }).click();
  await expect.poll(asked).toBe(5);
  await fake.push({ server: { ...state.server, emailChange: 'missing' } });
  await comeBack();
  expect(await asked()).toBe(5);
});

test('after a restart the last heartbeat is the one that the activity list has', async ({ page, open }) => {
  const state = filledState(now);
  const heartbeat = { lastAt: null, nextAt: null, lastFailure: null };
  const fake = await open({ ...state, heartbeat });
  const device = page.getByRole('region', { name: 'This device' });
  await expect(device).toContainText('Heartbeat 7 minutes ago');
  await fake.push({ activity: state.activity.filter(({ kind }) => kind !== 'heartbeat') });
  await expect(device).toContainText('Heartbeat None yet');
});

test('a subscription that was canceled before its period ends no longer ends', async ({ page, open }) => {
  const { subscription } = sampleAccount(now);
  const fake = await open(withAccount({ subscription: subscription && { ...subscription, status: 'canceled' } }));
  const account = page.getByRole('region', { name: 'Account' });
  await expect(account).toContainText('Plan Standard');
  await expect(account).not.toContainText('2 March');
  const ended = subscription && { ...subscription, status: 'expired', current_period_end: from(now, -day / 2) };
  await fake.push(withAccount({ subscription: ended }));
  await expect(account).toContainText('Plan Standard · ended');
});

test('the settings name no period of a subscription that was canceled before its end', async ({ page, open }) => {
  const { subscription } = sampleAccount(now);
  const canceled = subscription && { ...subscription, status: 'canceled' };
  await open(withAccount({ subscription: canceled }), { hash: '#settings' });
  const account = page.getByRole('region', { name: 'Account' });
  await expect(account).toContainText('Subscription Canceled');
  await expect(account).not.toContainText('2 March');
});

test('a canceled subscription ends, and an expired one has ended', async ({ page, open }) => {
  const subscription = {
    plan: 'standard',
    status: 'trialing',
    current_period_start: from(now, -day),
    current_period_end: from(now, 9 * day),
    cancel_at_period_end: false,
  };
  const fake = await open(withAccount({ subscription }), { hash: '#settings' });
  const account = page.getByRole('region', { name: 'Account' });
  await expect(account).toContainText('Subscription Trial');
  await expect(account).toContainText('Ends 19 February 2027');
  const over = { ...subscription, status: 'expired', current_period_end: from(now, -day / 2) };
  await fake.push(withAccount({ subscription: over }));
  await expect(account).toContainText('Subscription Expired');
  await expect(account).toContainText('Ended 10 February 2027');
});

test('an account with neither subscription nor license says so', async ({ page, open }) => {
  const fake = await open(withAccount({ hasSubscription: false, subscription: null, license: null }), {
    hash: '#settings',
  });
  const account = page.getByRole('region', { name: 'Account' });
  for (const text of ['Plan None', 'Subscription None', 'License None']) await expect(account).toContainText(text);
  await expect(account).not.toContainText('Activations');
  await fake.push(withAccount(null));
  await expect(account).toContainText('License not checked yet.');
});

test('an unknown device limit is never shown as 0 of 0', async ({ page, open }) => {
  const state = withAccount({ license: null });
  const license = {
    keyPreview: 'SVC-7QK2...M4XD',
    plan: '',
    status: 'LICENSE_REVOKED',
    activations: 0,
    maxActivations: 0,
  };
  await open({ ...state, thisDevice: state.thisDevice && { ...state.thisDevice, license } });
  for (const screen of ['Overview', 'Devices', 'Settings']) {
    await page.getByRole('link', { name: screen, exact: true }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(screen);
    await expect(page.locator('body')).not.toContainText(/0\s*\/\s*0|0 of 0/);
  }
});
