/** Looking for leaked keys: a pasted text, a folder, the result, and Revoke. */
import type { KeyScanState, LeakedKey } from '../../shared/ipc/key-scan.ts';
import { filledState, sampleFailure } from './sample-states.ts';
import { expect, test } from './window-fixture.ts';

const now = Date.now();
const hash = '#api-key';
const apiKey = 'svc_live_Zk3vQ8mN1xR7tYb2LpWc5dHsA9';
const found: LeakedKey = {
  id: 7,
  file: '/home/ada/lab/logs/recorder.log',
  line: 12,
  column: 9,
  kind: 'api_key',
  preview: 'svc_live_Zk3v',
  reported: false,
};
const license: LeakedKey = { ...found, id: 8, line: 40, kind: 'license_key', preview: 'SVC-AB12...GH7X' };
const counts = { files: 14, bytes: 80_000, skipped: 0, unreadable: 0, limit: null };
const done = (keys: readonly LeakedKey[]) =>
  ({ kind: 'done', keys, ...counts, checkedAt: new Date(now).toISOString() }) satisfies KeyScanState;
const scanned = (keys: readonly LeakedKey[]) =>
  ({ result: { ok: true, value: { keys, ...counts } }, state: { keyScan: done(keys) } }) as const;

test('a pasted text is checked, and removed from the window afterwards', async ({ page, open }) => {
  const pasted = { ...found, file: null };
  const fake = await open(filledState(now), { hash, script: { scanForKeys: [scanned([pasted])] } });
  const panel = page.getByRole('region', { name: 'Leaked keys' }).first();
  await expect(panel.getByRole('button', { name: 'Check text' })).toBeDisabled();
  await panel.getByRole('textbox', { name: 'Text to check' }).fill(`curl -H "x-api-key: ${apiKey}"`);
  await panel.getByRole('button', { name: 'Check text' }).click();
  await expect(panel.getByText('1 key found')).toBeVisible();
  await expect(panel.getByRole('listitem')).toContainText('Checked text · line 12, column 9');
  await expect(panel.getByRole('textbox', { name: 'Text to check' })).toHaveValue('');
  expect(await page.content()).not.toContain(apiKey);
  expect((await fake.calls('scanForKeys')).map(({ input }) => input)).toEqual([
    { text: `curl -H "x-api-key: ${apiKey}"` },
  ]);
});

test('a folder is checked, and each key is listed with its place', async ({ page, open }) => {
  const fake = await open(filledState(now), { hash, script: { chooseForKeyScan: [scanned([found, license])] } });
  await page.getByRole('button', { name: 'Choose a folder…' }).click();
  expect((await fake.calls('chooseForKeyScan')).map(({ input }) => input)).toEqual([{ choose: 'folder' }]);
  const rows = page.getByRole('list', { name: 'Leaked keys' }).getByRole('listitem');
  await expect(rows.nth(0)).toContainText('/home/ada/lab/logs/recorder.log · line 12, column 9');
  await expect(rows.nth(0)).toContainText('svc_live_Zk3v…');
  await expect(rows.nth(1)).toContainText('SVC-AB12...GH7X License key');
  await expect(rows.nth(1).getByRole('button')).toHaveCount(0);
  await expect(page.getByText('14 files were checked.')).toBeVisible();
});

test('an API key is revoked after a confirmation that says where it is sent', async ({ page, open }) => {
  const reported = { keyScan: done([{ ...found, reported: true }]) };
  const fake = await open(
    { ...filledState(now), keyScan: done([found]) },
    { hash, script: { reportLeakedKey: [{ result: { ok: true, value: null }, state: reported }] } },
  );
  await page.getByRole('button', { name: 'Revoke' }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('Revoke the API key svc_live_Zk3v…?');
  await expect(question).toContainText('The key is sent to https://');
  await page.keyboard.press('Escape');
  expect(await fake.calls('reportLeakedKey')).toEqual([]);
  await page.getByRole('button', { name: 'Revoke' }).click();
  await question.getByRole('button', { name: 'Revoke' }).click();
  await expect(page.getByRole('list', { name: 'Leaked keys' })).toContainText('reported');
  await expect(page.getByRole('button', { name: 'Revoke' })).toHaveCount(0);
  expect((await fake.calls('reportLeakedKey')).map(({ input }) => input)).toEqual([{ id: 7 }]);
});

test('a server that cannot revoke the key is reported in the dialog', async ({ page, open }) => {
  const result = { ok: false, failure: sampleFailure('NOT_SUPPORTED_BY_SERVER', now) } as const;
  await open({ ...filledState(now), keyScan: done([found]) }, { hash, script: { reportLeakedKey: [{ result }] } });
  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
  await expect(page.getByRole('alertdialog').getByRole('alert')).toContainText('This server does not support this.');
});

test('a scan shows its progress, and can be canceled', async ({ page, open }) => {
  const keyScan = { kind: 'scanning', files: 1200, bytes: 52_000_000, found: 2, file: '/home/ada/lab/a.log' } as const;
  const fake = await open({ ...filledState(now), keyScan }, { hash });
  await expect(page.getByRole('progressbar', { name: 'Checking' })).toContainText('/home/ada/lab/a.log');
  await expect(page.getByText('keys found: 2')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Choose a folder…' })).toBeDisabled();
  await page.getByRole('button', { name: 'Cancel' }).click();
  expect(await fake.calls('cancelKeyScan')).toHaveLength(1);
});

test('a result without keys says so, and what was skipped', async ({ page, open }) => {
  const keyScan = { ...done([]), skipped: 1, unreadable: 2, limit: 'files' } as const;
  await open({ ...filledState(now), keyScan }, { hash });
  const panel = page.getByRole('region', { name: 'Leaked keys' }).first();
  await expect(panel).toContainText('No keys found');
  await expect(panel).toContainText('1 file was skipped because it is not text.');
  await expect(panel).toContainText('2 files or folders could not be read.');
  await expect(panel).toContainText('The check ended after 100,000 files.');
});

test('dropped files are checked', async ({ page, open }) => {
  const fake = await open(filledState(now), { hash });
  const dropped = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    for (const name of ['a.log', 'b.log']) data.items.add(new File([''], name));
    return data;
  });
  await page
    .getByRole('region', { name: 'Drop files or folders to check them' })
    .dispatchEvent('drop', { dataTransfer: dropped });
  await expect
    .poll(async () => (await fake.calls('scanForKeys')).map(({ input }) => input))
    .toEqual([{ paths: ['/dropped/a.log', '/dropped/b.log'] }]);
});

test('a failure is shown once', async ({ page, open }) => {
  const failure = sampleFailure('FILE_UNREADABLE', now);
  const keyScan = { kind: 'failed', failure } as const;
  const result = { ok: false, failure } as const;
  await open(filledState(now), { hash, script: { chooseForKeyScan: [{ result, state: { keyScan } }] } });
  await page.getByRole('button', { name: 'Choose a file…' }).click();
  await expect(page.getByRole('alert')).toHaveCount(1);
  await expect(page.getByRole('alert')).toContainText('The file could not be read.');
});

test('a failure is gone once a scan of the command line has a result', async ({ page, open }) => {
  const failure = sampleFailure('FILE_UNREADABLE', now);
  const fake = await open(filledState(now), {
    hash,
    script: {
      chooseForKeyScan: [{ result: { ok: false, failure }, state: { keyScan: { kind: 'failed', failure } } }],
    },
  });
  await page.getByRole('button', { name: 'Choose a folder…' }).click();
  await expect(page.getByRole('alert')).toHaveCount(1);
  await fake.push({ keyScan: done([]) });
  await expect(page.getByRole('alert')).toHaveCount(0);
});
