/** The diagnostics screen: a searchable timeline in plain language, which shows codes only on request. */
import type { Diagnostics } from '../../shared/ipc/diagnostics.ts';
import { filledState, from, sampleDiagnostics, sampleFailure } from './sample-states.ts';
import { expect, test } from './window-fixture.ts';

const now = Date.now();
const hash = '#diagnostics';
const scriptOf = (value: Diagnostics) => ({ loadDiagnostics: [{ result: { ok: true as const, value } }] });
const script = scriptOf(sampleDiagnostics(now));
const texts = '.timeline .activity-text';

test('each entry is described in plain language, newest first, under its day', async ({ page, open }) => {
  await open(filledState(now), { hash, script });
  const list = page.getByRole('list', { name: 'What happened' });
  await expect(list.locator('.activity-text').first()).toHaveText('The clock was set forward by 25 minutes');
  await expect(list.getByText(/^Heartbeat · the server answered · 1440 times/)).toBeVisible();
  await expect(list.getByText('You signed in')).toBeVisible();
  await expect(list.getByText(/signIn|heartbeat:/)).toHaveCount(0);
  await expect(list.getByRole('heading', { level: 3 })).not.toHaveCount(0);
});

test('entries are found by their text, and can be limited to problems', async ({ page, open }) => {
  await open(filledState(now), { hash, script });
  await page.getByLabel('Find what happened').fill('SIGNED');
  await expect(page.locator(texts)).toHaveText(['You signed in']);
  await expect(page.getByRole('status').filter({ hasText: '1 entry found' })).toBeAttached();
  await page.getByLabel('Find what happened').fill('');
  await page.getByRole('combobox', { name: 'Show' }).selectOption('Only problems');
  await expect(page.locator(texts)).toHaveText([/^The clock was set/, /^Heartbeat · Could not reach the server/]);
});

test('if nothing is found, one button shows everything again', async ({ page, open }) => {
  await open(filledState(now), { hash, script });
  await page.getByLabel('Find what happened').fill('no such thing');
  await expect(page.getByText('Nothing found', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Show everything' }).click();
  await expect(page.getByLabel('Find what happened')).toBeFocused();
  await expect(page.locator(texts)).toHaveCount(8);
});

test('an entry expands by keyboard to its code, time and request, which can be copied', async ({ page, open }) => {
  const diagnostics = sampleDiagnostics(now);
  const timeline = diagnostics.timeline.map((entry) =>
    entry.kind === 'answer' && entry.code !== null ? { ...entry, request_id: 'req-01hf3k8m' } : entry,
  );
  await open(filledState(now), { hash, script: scriptOf({ ...diagnostics, timeline }) });
  const summary = page.locator('summary', { hasText: 'Could not reach the server' });
  await summary.focus();
  await page.keyboard.press('Enter');
  const fold = page.locator('details[open]');
  await expect(fold).toContainText('answer · heartbeat · inconclusive');
  await expect(fold).toContainText('SERVER_UNREACHABLE');
  await expect(fold).toContainText('req-01hf3k8m');
  await fold.getByRole('button', { name: 'Copy all' }).click();
  await expect(fold.getByRole('button', { name: 'Copied.' })).toBeVisible();
  await summary.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('SERVER_UNREACHABLE')).toBeHidden();
});

test('the newest of many entries are shown first, and showing the others moves the focus to the first of them', async ({
  page,
  open,
}) => {
  const timeline: Diagnostics['timeline'] = Array.from({ length: 120 }, (_, index) => ({
    at: from(now, (index - 120) * 60_000),
    monotonic_ms: index,
    kind: index % 2 === 0 ? 'sleep' : 'wake',
  }));
  await open(filledState(now), { hash, script: scriptOf({ ...sampleDiagnostics(now), timeline }) });
  await expect(page.locator(texts)).toHaveCount(50);
  await page.getByRole('button', { name: 'Show all 120' }).click();
  await expect(page.locator(texts)).toHaveCount(120);
  await expect(page.locator('.timeline summary').nth(50)).toBeFocused();
});

test('if nothing is recorded yet, the screen says what will appear', async ({ page, open }) => {
  await open(filledState(now), { hash, script: scriptOf({ timeline: [], connection: [] }) });
  await expect(page.getByText('Nothing recorded yet.')).toBeVisible();
  await expect(page.getByLabel('Find what happened')).toHaveCount(0);
});

test('a choice made while the support file is being created counts', async ({ page, open }) => {
  const fake = await open(filledState(now), {
    hash: '#diagnostics',
    script: {
      supportFile: [
        { result: { ok: true, value: { text: 'without names' } }, isHeld: true },
        { result: { ok: true, value: { text: 'with names' } } },
      ],
    },
  });
  await page.getByRole('button', { name: 'Save support file…' }).click();
  await expect.poll(() => fake.calls('supportFile')).toHaveLength(1);
  const dialog = page.getByRole('dialog', { name: 'Support file' });
  await dialog.getByText('Include names', { exact: true }).click();
  await fake.release();
  await expect(dialog.getByLabel('Content of the file')).toHaveValue('with names');
  expect((await fake.calls('supportFile'))[1]?.input).toEqual({ days: 7, includeNames: true });
});

test('what cannot be loaded is not shown as loading, and the support file is still offered', async ({ page, open }) => {
  const failed = { result: { ok: false, failure: sampleFailure('INTERNAL', now) } } as const;
  await open(filledState(now), { hash, script: { loadDiagnostics: [failed] } });
  await expect(page.getByRole('alert')).toHaveCount(1);
  await expect(page.getByRole('heading', { name: 'What happened' })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Save support file…' })).toBeVisible();
});
