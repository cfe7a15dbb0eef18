/** The features screen: what each feature does, whether it is on, and why not. */
import type { FeatureState, LicenseState } from '../../shared/ipc/app-state.ts';
import { featuresOf, featuresOff, filledState, sampleDecision, waitingState } from './sample-states.ts';
import { expect, test } from './window-fixture.ts';

const now = Date.now();
const names = [
  'Real-time visualization',
  'OSC/LSL streaming',
  'Session recording',
  'CSV export',
  'API access',
  'Signal filtering',
  'Custom preprocessing',
  'Mental state detection',
];

test('every feature is listed by name as on, or as off with the plan that has it', async ({ page, open }) => {
  await open(filledState(now), { hash: '#features' });
  const list = page.getByRole('list', { name: 'Features' });
  await expect(list.getByRole('listitem')).toHaveCount(names.length);
  for (const name of names.slice(0, 6)) {
    const item = list.getByRole('listitem', { name, exact: true });
    await expect(item).toHaveText(/\bon\b/);
    await expect(item).not.toHaveText(/\boff\b/);
    await expect(item).toHaveAccessibleDescription('on');
  }
  for (const name of names.slice(6)) {
    const item = list.getByRole('listitem', { name, exact: true });
    await expect(item).toHaveText(/\boff\b/);
    await expect(item).not.toHaveText(/\bon\b/);
    await expect(item).toContainText('Advanced');
    expect(await item.textContent()).toMatch(/\S\. off Requires the Advanced plan\./);
    await expect(item).toHaveAccessibleDescription(/^off Requires the Advanced plan/);
  }
});

test('custom features have the server’s names, and hidden ones are omitted', async ({ page, open }) => {
  const own = { name: 'pdf_reports', title: 'PDF reports', does: 'Prints a session.', hidden: false, built_in: false };
  const hidden = { ...own, name: 'csv_export', title: 'CSV export', hidden: true, built_in: true };
  const off: FeatureState = {
    feature: 'pdf_reports',
    on: false,
    reason: { kind: 'plan', plan: 'standard', availableOn: null },
  };
  const state = filledState(now);
  await open({ ...state, featureTexts: [own, hidden], features: [off, ...state.features] }, { hash: '#features' });
  const list = page.getByRole('list', { name: 'Features' });
  await expect(list.getByRole('listitem')).toHaveCount(names.length);
  const item = list.getByRole('listitem', { name: 'PDF reports', exact: true });
  await expect(item).toHaveText(/Prints a session\. off Not part of the Standard plan\./);
  await expect(list.getByRole('listitem', { name: 'CSV export' })).toHaveCount(0);
});

const licenses: readonly (readonly [LicenseState, RegExp])[] = [
  [{ kind: 'not-activated' }, /not activated/],
  [{ kind: 'no-license' }, /no license/],
  [{ kind: 'blocked', reason: 'revoked' }, /revoked/],
  [{ kind: 'blocked', reason: 'expired' }, /expired/],
  [{ kind: 'blocked', reason: 'suspended' }, /suspended/],
  [{ kind: 'blocked', reason: 'subscription-ended' }, /subscription ended/],
  [{ kind: 'offline-ended', since: new Date(now).toISOString() }, /offline for too long/],
];

for (const [license, reason] of licenses) {
  const name = license.kind === 'blocked' ? license.reason : license.kind;
  test(`if the license turns every feature off, each one says why: ${name}`, async ({ page, open }) => {
    await open({ ...filledState(now), license, features: featuresOff(license) }, { hash: '#features' });
    const items = page.getByRole('list', { name: 'Features' }).getByRole('listitem');
    await expect(items).toHaveCount(names.length);
    for (const item of await items.all()) {
      await expect(item).toHaveText(/\boff\b/);
      await expect(item).toHaveText(reason);
    }
  });
}

test('if the plan lacks a feature, there is a button to the plans', async ({ page, open }) => {
  const fake = await open(filledState(now), { hash: '#features' });
  await page.getByRole('button', { name: 'See plans' }).click();
  expect(await fake.calls('openLink')).toHaveLength(1);
  const { app } = filledState(now);
  await fake.push({ app: { ...app, links: [] } });
  await expect(page.getByRole('button', { name: 'See plans' })).toHaveCount(0);
  await expect(page.getByText('To change your plan, contact the person who issued your license.')).toBeVisible();
  await fake.push({ app, features: featuresOf('advanced') });
  await expect(page.getByRole('button', { name: 'See plans' })).toHaveCount(0);
});

test('each feature explains why it is on or off, in a dialog that is named for it and follows the state', async ({
  page,
  open,
}) => {
  const decision = sampleDecision(now, 'csv_export');
  const off = { ...decision, on: false, reason: 'license', decided_by: 'license' as const };
  const fake = await open(filledState(now), {
    hash: '#features',
    script: {
      explainFeatures: [{ result: { ok: true, value: [decision] } }, { result: { ok: true, value: [off] } }],
    },
  });
  await page.getByRole('button', { name: 'Why? CSV export' }).click();
  const dialog = page.getByRole('dialog', { name: 'CSV export' });
  const steps = dialog.getByRole('list', { name: 'Decisions' }).getByRole('listitem');
  await expect(steps).toHaveCount(8);
  await expect(steps.nth(3)).toContainText('Signed by the server');
  await expect(dialog).toContainText('On. Decided by: Signed license file.');
  await fake.push({ features: featuresOff({ kind: 'blocked', reason: 'revoked' }) });
  await expect(dialog).toContainText('Off. Decided by: License.');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Why? CSV export' })).toBeFocused();
});

test('a feature whose state changes while its explanation loads is explained all the same', async ({ page, open }) => {
  const decision = sampleDecision(now, 'csv_export');
  const off = { ...decision, on: false, reason: 'license', decided_by: 'license' as const };
  const fake = await open(filledState(now), {
    hash: '#features',
    script: {
      explainFeatures: [
        { result: { ok: true, value: [decision] }, isHeld: true },
        { result: { ok: true, value: [off] } },
      ],
    },
  });
  await page.getByRole('button', { name: 'Why? CSV export' }).click();
  await expect.poll(() => fake.calls('explainFeatures')).toHaveLength(1);
  await fake.push({ features: featuresOff({ kind: 'blocked', reason: 'revoked' }) });
  await fake.release();
  await expect(page.getByRole('dialog', { name: 'CSV export' })).toContainText('Off. Decided by: License.');
});

test('features that wait for a lease say so', async ({ page, open }) => {
  await open(waitingState(now), { hash: '#features' });
  await expect(page.getByRole('status', { name: 'License state' })).toContainText('Waiting for the server.');
  await expect(page.getByRole('listitem', { name: 'CSV export', exact: true })).toContainText('yet to confirm');
});

test('after a change of the language, built-in features have their texts in it while the server cannot be asked', async ({
  page,
  open,
}) => {
  const state = filledState(now);
  const sent = { does: 'Sent by the server.', hidden: false };
  const featureTexts = [
    { name: 'csv_export', title: 'Tables', built_in: true, ...sent },
    { name: 'pdf_reports', title: 'PDF reports', built_in: false, ...sent },
  ];
  const features = [{ feature: 'pdf_reports', on: true } as const, ...state.features];
  const texts = { featureTexts, featureTextsLanguage: 'en-GB', features };
  const fake = await open({ ...state, ...texts }, { hash: '#features' });
  await expect(page.getByRole('listitem', { name: 'Tables' })).toBeVisible();
  await fake.push({ settings: { ...state.settings, language: 'de' } });
  await expect(page.getByRole('listitem', { name: 'CSV-Export' })).toBeVisible();
  await expect(page.getByRole('listitem', { name: 'PDF reports' })).toBeVisible();
});
