/** The activity screen: entries can be found by text and by kind, and an empty result is no dead end. */
import type { ActivityEntry } from '../../shared/ipc/app-state.ts';
import { filledState, from, sampleDiagnostics } from './sample-states.ts';
import { expect, test } from './window-fixture.ts';

const now = Date.now();
const hash = '#activity';
const items = ['.activity-item', '.activity-text'].join(' ');

test('entries are found by their text in any case, and the number found is announced', async ({ page, open }) => {
  await open(filledState(now), { hash });
  await page.getByLabel('Find in activity').fill('STUDIO');
  await expect(page.locator(items)).toHaveText(['Device activated · Studio Mac']);
  await expect(page.getByRole('status').filter({ hasText: '1 entry found' })).toBeAttached();
});

for (const [screen, label] of [
  ['activity', 'Find in activity'],
  ['diagnostics', 'Find what happened'],
] as const) {
  test(`${screen}: a new entry is announced as found only while something is searched for`, async ({ page, open }) => {
    await open(filledState(now), {
      hash: `#${screen}`,
      script: { loadDiagnostics: [{ result: { ok: true, value: sampleDiagnostics(now) } }] },
    });
    const found = page.getByRole('status').filter({ hasText: / (?:entry|entries) found/ });
    await expect(page.locator(items).first()).toBeVisible();
    await expect(found).toHaveCount(0);
    await page.getByLabel(label).fill('e');
    await expect(found).toHaveCount(1);
    await page.getByLabel(label).fill('');
    await expect(found).toHaveCount(0);
    await page.getByRole('combobox', { name: 'Show' }).selectOption('Only problems');
    await expect(found).toHaveCount(1);
  });
}

test('heartbeats can be hidden, or everything but problems', async ({ page, open }) => {
  await open(filledState(now), { hash });
  await expect(page.locator(items)).toHaveCount(6);
  const show = page.getByRole('combobox', { name: 'Show' });
  await show.selectOption('Changes only');
  await expect(page.locator(items)).toHaveCount(5);
  await expect(page.getByText('Heartbeat', { exact: true })).toHaveCount(0);
  await show.selectOption('Only problems');
  await expect(page.locator(items)).toHaveText(['The server stopped responding']);
});

test('new entries that do not match the current filter stay hidden', async ({ page, open }) => {
  const state = filledState(now);
  const fake = await open(state, { hash });
  await page.getByRole('combobox', { name: 'Show' }).selectOption('Only problems');
  const entry = (id: number, kind: ActivityEntry['kind']) => ({ id, at: from(now, 0), kind, detail: null });
  await fake.push({ activity: [entry(202, 'heartbeat'), entry(201, 'license-rejected'), ...state.activity] });
  await expect(page.locator(items)).toHaveText(['License rejected by the server', 'The server stopped responding']);
});

test('if nothing is found, one button shows everything again', async ({ page, open }) => {
  await open(filledState(now), { hash });
  await page.getByLabel('Find in activity').fill('no such thing');
  await expect(page.getByText('Nothing found', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Show everything' }).click();
  await expect(page.getByLabel('Find in activity')).toHaveValue('');
  await expect(page.getByLabel('Find in activity')).toBeFocused();
  await expect(page.locator(items)).toHaveCount(6);
});

test('an entry without a detail has no dot after it', async ({ page, open }) => {
  await open(filledState(now), { hash: '#activity' });
  await expect(page.getByText('License checked with the server').first()).toHaveText('License checked with the server');
});

test('the overview names the day of what did not happen today', async ({ page, open }) => {
  const noon = Date.parse('2026-03-03T11:00:00.000Z');
  await page.clock.setFixedTime(noon);
  const entry = (id: number, hours: number) => ({
    id,
    at: from(noon, hours * 3_600_000),
    kind: 'heartbeat' as const,
    detail: null,
  });
  await open({ ...filledState(noon), activity: [entry(3, -1), entry(2, -14), entry(1, -62)] });
  const recent = page.locator('.panel').filter({ has: page.getByRole('heading', { name: 'Recent activity' }) });
  await expect(recent.getByRole('heading')).toHaveText(['Recent activity', 'Yesterday', 'Saturday']);
});
