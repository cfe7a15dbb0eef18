/** The API key: generated, shown once, saved, masked and replaced, where the plan includes it. */
import { featuresOf, filledState, sampleFailure } from './sample-states.ts';
import { expect, test } from './window-fixture.ts';

const now = Date.now();
const hash = '#api-key';
const apiKey = 'svc_live_Zk3vQ8mN1xR7tYb2LpWc5dHsA9';
const known = {
  prefix: 'svc_live_Zk3v',
  isLegacy: false,
  createdAt: new Date(now).toISOString(),
  revoked: null,
  unsaved: false,
};
const generated = {
  result: { ok: true, value: { kind: 'generated', apiKey } },
  state: { apiKey: { ...known, unsaved: true } },
} as const;

test('a new key is shown, can be copied, and is masked once it is saved', async ({ page, open }) => {
  const fake = await open(filledState(now), {
    hash,
    script: {
      generateApiKey: [generated],
      confirmApiKeySaved: [{ result: { ok: true, value: null }, state: { apiKey: known } }],
    },
  });
  await page.getByRole('button', { name: 'Generate API key' }).click();
  await expect(page.getByText(apiKey)).toBeVisible();
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await expect(page.getByText('Copied. The clipboard is cleared in one minute.')).toBeVisible();
  expect(await fake.calls('copyApiKey')).toHaveLength(1);
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await expect(page.getByText(apiKey)).toHaveCount(0);
  await expect(page.getByText('svc_live_Zk3v••••••••')).toBeVisible();
  expect(await page.content()).not.toContain(apiKey);
});

test('the focus moves to the key that appears, and to the panel that replaces it', async ({ page, open }) => {
  await open(filledState(now), {
    hash,
    script: {
      generateApiKey: [generated, generated],
      confirmApiKeySaved: [{ result: { ok: true, value: null }, state: { apiKey: known } }],
    },
  });
  const newKey = page.getByRole('heading', { name: 'Your new API key' });
  await page.getByRole('button', { name: 'Generate API key' }).press('Enter');
  await expect(newKey).toBeFocused();
  await page.getByRole('button', { name: 'I have saved it' }).press('Enter');
  await expect(page.getByRole('heading', { name: 'Your API key' })).toBeFocused();
  await page.getByRole('button', { name: 'Replace key' }).press('Enter');
  await page.getByRole('button', { name: 'Replace', exact: true }).press('Enter');
  await expect(newKey).toBeFocused();
});

test('every other screen has a reminder of a key that is not saved yet', async ({ page, open }) => {
  await open(filledState(now), { hash, script: { generateApiKey: [generated] } });
  await page.getByRole('button', { name: 'Generate API key' }).click();
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await expect(page.getByText('You have not saved your new API key yet.')).toBeVisible();
  await page.getByRole('button', { name: 'Show key' }).click();
  await expect(page.getByText(apiKey)).toBeVisible();
});

test('a key that replaces a reported one says what happened to that one', async ({ page, open }) => {
  const reported = { prefix: 'svc_live_Qw9e', at: new Date(now - 3 * 3_600_000).toISOString() };
  const value = { ...generated.result.value, reported };
  await open(
    { ...filledState(now), apiKey: { ...known, prefix: reported.prefix } },
    { hash, script: { generateApiKey: [{ ...generated, result: { ok: true, value } }] } },
  );
  await page.getByRole('button', { name: 'Replace key' }).click();
  await page.getByRole('button', { name: 'Replace', exact: true }).click();
  await expect(page.getByRole('alert')).toContainText(
    'Somebody found the key svc_live_Qw9e… and reported it 3 hours ago. It was revoked at once.',
  );
  await expect(page.getByText(apiKey)).toBeVisible();
});

test('a key that was reported is shown as revoked, with a button to generate a new one', async ({ page, open }) => {
  const revoked = { at: new Date(now - 3 * 3_600_000).toISOString(), reported: true };
  const fake = await open(
    { ...filledState(now), apiKey: known },
    {
      hash,
      script: {
        checkApiKey: [{ result: { ok: true, value: null }, state: { apiKey: { ...known, revoked } } }],
        generateApiKey: [generated],
      },
    },
  );
  const notice = page.getByRole('alert');
  await expect(notice).toContainText('Your API key was revoked because it was found in public.');
  await expect(notice).toContainText('Somebody found the key svc_live_Zk3v… and reported it 3 hours ago.');
  await expect(page.getByText('svc_live_Zk3v••••••••')).toHaveCount(0);
  await page.getByRole('button', { name: 'Generate API key' }).click();
  await expect(page.getByText(apiKey)).toBeVisible();
  await expect(notice).toHaveCount(0);
  expect((await fake.calls('generateApiKey')).map(({ input }) => input)).toEqual([{ replace: false }]);
});

test('every other screen says that the key was found in public, until there is a new one', async ({ page, open }) => {
  const revoked = { at: new Date(now).toISOString(), reported: true };
  const fake = await open({ ...filledState(now), apiKey: { ...known, revoked } });
  await expect(page.getByRole('alert')).toContainText('Your API key was revoked because it was found in public.');
  await page.getByRole('link', { name: 'Features', exact: true }).click();
  await page.getByRole('button', { name: 'Go to API key' }).click();
  await expect(page.getByRole('button', { name: 'Generate API key' })).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(1);
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await fake.push({ apiKey: known });
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('a key that an administrator revoked is not shown as a found one', async ({ page, open }) => {
  const revoked = { at: new Date(now).toISOString(), reported: false };
  await open({ ...filledState(now), apiKey: { ...known, revoked } }, { hash });
  await expect(page.getByRole('alert')).toContainText('Your API key was revoked.');
  await expect(page.getByText('found')).toHaveCount(0);
  await expect(page.getByText('Your account has no valid API key')).toBeVisible();
});

test('no error is shown if the server cannot say whether the key was revoked', async ({ page, open }) => {
  const result = { ok: false, failure: sampleFailure('NOT_SUPPORTED_BY_SERVER', now) } as const;
  const fake = await open({ ...filledState(now), apiKey: known }, { hash, script: { checkApiKey: [{ result }] } });
  await expect.poll(async () => (await fake.calls('checkApiKey')).length).toBe(1);
  await expect(page.getByText('svc_live_Zk3v••••••••')).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('the next user does not see the previous user’s new key', async ({ page, open }) => {
  const fake = await open(filledState(now), { hash, script: { generateApiKey: [generated] } });
  await page.getByRole('button', { name: 'Generate API key' }).click();
  await expect(page.getByText(apiKey)).toBeVisible();
  await fake.push({ session: { kind: 'signed-out', reason: null }, apiKey: null });
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
  await fake.push({ session: filledState(now).session });
  await page.getByRole('link', { name: 'API key', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Generate API key' })).toBeVisible();
  expect(await page.content()).not.toContain(apiKey);
});

test('a user who signs in on the command line sees nothing of the previous user’s new key', async ({ page, open }) => {
  const fake = await open(filledState(now), { hash, script: { generateApiKey: [generated] } });
  await page.getByRole('button', { name: 'Generate API key' }).click();
  await expect(page.getByText(apiKey)).toBeVisible();
  const { session } = filledState(now);
  if (session.kind !== 'signed-in') throw new Error('somebody is signed in');
  await fake.push({
    session: { ...session, user: { id: 'u-2', email: 'bob@lab.org', full_name: 'Bob' } },
    apiKey: null,
  });
  await expect(page.getByRole('button', { name: 'Generate API key' })).toBeVisible();
  expect(await page.content()).not.toContain(apiKey);
});

test('if the account already has a key, its prefix is shown', async ({ page, open }) => {
  await open(filledState(now), {
    hash,
    script: {
      generateApiKey: [
        { result: { ok: true, value: { kind: 'existing', prefix: known.prefix } }, state: { apiKey: known } },
      ],
    },
  });
  await page.getByRole('button', { name: 'Generate API key' }).click();
  await expect(page.getByText('This account already has an API key.')).toBeVisible();
  await expect(page.getByText('svc_live_Zk3v••••••••')).toBeVisible();
});

test('replacing a key asks for confirmation and says what stops working', async ({ page, open }) => {
  const fake = await open({ ...filledState(now), apiKey: known }, { hash, script: { generateApiKey: [generated] } });
  await page.getByRole('button', { name: 'Replace key' }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('stops working immediately');
  await page.keyboard.press('Escape');
  await expect(question).toBeHidden();
  await expect(page.getByRole('button', { name: 'Replace key' })).toBeFocused();
  expect(await fake.calls('generateApiKey')).toEqual([]);
  await page.getByRole('button', { name: 'Replace key' }).click();
  await page.getByRole('button', { name: 'Replace', exact: true }).click();
  await expect(page.getByText(apiKey)).toBeVisible();
  expect((await fake.calls('generateApiKey')).map(({ input }) => input)).toEqual([{ replace: true }]);
});

test('a key that another device replaced first is shown by its prefix, and can still be replaced', async ({
  page,
  open,
}) => {
  const other = { ...known, prefix: 'svc_live_Qw9e' };
  await open(
    { ...filledState(now), apiKey: known },
    {
      hash,
      script: {
        generateApiKey: [
          { result: { ok: true, value: { kind: 'existing', prefix: other.prefix } }, state: { apiKey: other } },
        ],
      },
    },
  );
  await page.getByRole('button', { name: 'Replace key' }).click();
  await page.getByRole('button', { name: 'Replace', exact: true }).click();
  await expect(page.getByText('This account already has an API key.')).toBeVisible();
  await expect(page.getByText('svc_live_Qw9e••••••••')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Replace key' })).toBeVisible();
});

test('a failure is shown in the confirmation dialog', async ({ page, open }) => {
  await open(
    { ...filledState(now), apiKey: known },
    {
      hash,
      script: { generateApiKey: [{ result: { ok: false, failure: sampleFailure('SUBSCRIPTION_INACTIVE', now) } }] },
    },
  );
  await page.getByRole('button', { name: 'Replace key' }).click();
  await page.getByRole('button', { name: 'Replace', exact: true }).click();
  await expect(page.getByRole('alertdialog').getByRole('alert')).toContainText('The subscription is not active.');
});

test('without API access the screen names the plan that has it', async ({ page, open }) => {
  await open({ ...filledState(now), features: featuresOf('free') }, { hash });
  await expect(page.getByText('API access is not available here')).toBeVisible();
  await expect(page.getByText('Requires the Standard plan. You have Free.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Generate API key' })).toHaveCount(0);
});

test('after the window is reopened, an unsaved key can still be copied and confirmed', async ({ page, open }) => {
  const fake = await open({ ...filledState(now), apiKey: { ...known, unsaved: true } }, { hash });
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await expect.poll(async () => (await fake.calls('confirmApiKeySaved')).length).toBe(1);
});
