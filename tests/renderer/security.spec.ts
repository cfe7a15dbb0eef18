/** Sign-in and security: a forgotten password, a password change, the sessions of the account. */
import { filledState, sampleFailure, sampleSessions, signedOutState } from './sample-states.ts';
import { expect, test } from './window-fixture.ts';

const now = Date.now();
const hash = '#settings';

test('a password reset link is requested with the email that was typed', async ({ page, open }) => {
  const fake = await open(signedOutState(now));
  await page.getByLabel('Email').fill('ada@lab.org');
  await page.getByRole('button', { name: 'Forgot password?' }).click();
  const dialog = page.getByRole('dialog', { name: 'Set a new password' });
  await expect(dialog.getByLabel('Email')).toHaveValue('ada@lab.org');
  await dialog.getByRole('button', { name: 'Send link' }).click();
  await expect(dialog.getByRole('status')).toContainText('If there is an account for ada@lab.org');
  expect((await fake.calls('requestPasswordReset')).map(({ input }) => input)).toEqual([
    { email: 'ada@lab.org', language: 'en' },
  ]);
  expect(await fake.calls('signIn')).toEqual([]);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Forgot password?' })).toBeFocused();
});

test('a server without mail is reported, and the link to the reset disappears', async ({ page, open }) => {
  const state = signedOutState(now);
  const result = { ok: false, failure: sampleFailure('NOT_SUPPORTED_BY_SERVER', now) } as const;
  const server = { ...state.server, passwordReset: 'missing' } as const;
  await open(state, { script: { requestPasswordReset: [{ result, state: { server } }] } });
  await page.getByRole('button', { name: 'Forgot password?' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Email').fill('ada@lab.org');
  await page.keyboard.press('Enter');
  await expect(dialog.getByRole('status')).toContainText('This server cannot send email.');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Forgot password?' })).toHaveCount(0);
});

test('an invalid email address is not sent', async ({ page, open }) => {
  const fake = await open(signedOutState(now));
  await page.getByRole('button', { name: 'Forgot password?' }).click();
  await page.getByRole('button', { name: 'Send link' }).click();
  await expect(page.getByRole('dialog').getByLabel('Email')).toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByRole('dialog').getByLabel('Email')).toBeFocused();
  expect(await fake.calls('requestPasswordReset')).toEqual([]);
});

test('the password is changed with the current one', async ({ page, open }) => {
  const wrong = { result: { ok: false, failure: sampleFailure('INVALID_CREDENTIALS', now) } } as const;
  const fake = await open(filledState(now), {
    hash,
    script: { changePassword: [wrong, { result: { ok: true, value: null } }] },
  });
  await page.getByRole('button', { name: 'Change password' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change password' });
  await dialog.getByLabel('Current password').fill('old lantern harbour');
  await dialog.getByLabel('New password').fill('new lantern harbour');
  await page.keyboard.press('Enter');
  await expect(dialog.getByRole('alert')).toHaveText('This is not your current password.');
  await dialog.getByLabel('Current password').fill('quiet harbour lantern');
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText('Your password was changed.')).toBeVisible();
  expect((await fake.calls('changePassword')).at(-1)?.input).toEqual({
    currentPassword: 'quiet harbour lantern',
    newPassword: 'new lantern harbour',
    language: 'en',
  });
});

test('the email address changes with a link that is mailed to the new one', async ({ page, open }) => {
  const refused = (code: string) => ({ result: { ok: false, failure: sampleFailure(code, now) } }) as const;
  const fake = await open(filledState(now), {
    hash,
    script: {
      changeEmail: [
        refused('INVALID_CREDENTIALS'),
        refused('EMAIL_EXISTS'),
        refused('SERVER_UNREACHABLE'),
        { result: { ok: true, value: null } },
      ],
    },
  });
  await page.getByRole('button', { name: 'Change email address' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change email address' });
  const [email, password] = [dialog.getByLabel('New email address'), dialog.getByLabel('Current password')];
  await expect(email).toBeFocused();
  await email.fill('ADA@lab.org');
  await page.keyboard.press('Enter');
  await expect(dialog).toContainText('This is your current email address.');
  await expect(password).toHaveAttribute('aria-invalid', 'true');
  await email.fill('bob@lab.org');
  await password.fill('quiet harbour lantern');
  expect(await fake.calls('changeEmail')).toEqual([]);
  const send = dialog.getByRole('button', { name: 'Send link' });
  await send.click();
  await expect(dialog).toContainText('This is not your current password.');
  await send.click();
  await expect(dialog).toContainText('Another account has this email address.');
  await email.fill('countess@lab.org');
  await send.click();
  await expect(dialog.getByRole('alert')).toContainText('server');
  await send.click();
  await expect(dialog.getByRole('status')).toContainText('A link was sent to countess@lab.org.');
  await expect(dialog.getByRole('status')).toContainText('Until then you sign in with ada@lab.org.');
  expect((await fake.calls('changeEmail')).at(-1)?.input).toEqual({
    email: 'countess@lab.org',
    password: 'quiet harbour lantern',
    language: 'en',
  });
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Change email address' })).toBeFocused();
});

test('the confirmation mail for an unconfirmed address can be sent again', async ({ page, open }) => {
  const offline = { result: { ok: false, failure: sampleFailure('SERVER_UNREACHABLE', now) } } as const;
  const fake = await open(
    { ...filledState(now), isEmailUnconfirmed: true },
    { hash, script: { sendEmailConfirmation: [offline, { result: { ok: true, value: null } }] } },
  );
  await expect(page.getByText('Open the link in the mail that was sent to ada@lab.org.')).toBeVisible();
  await page.getByRole('button', { name: 'Send the mail again' }).click();
  await expect(page.getByRole('alert')).toBeVisible();
  await page.getByRole('button', { name: 'Send the mail again' }).click();
  await expect(page.getByText('The mail was sent to ada@lab.org.')).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
  const asked = (await fake.calls('loadEmail')).length;
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await expect.poll(async () => (await fake.calls('loadEmail')).length).toBe(asked + 1);
  await fake.push({ isEmailUnconfirmed: false });
  await expect(page.getByText('Confirm your email address.')).toHaveCount(0);
});

test('a pending change of the email address is shown until it is confirmed', async ({ page, open }) => {
  const fake = await open({ ...filledState(now), pendingEmail: 'countess@lab.org' }, { hash });
  await expect(page.getByText('A link was sent to countess@lab.org.')).toBeVisible();
  await fake.push({ pendingEmail: null });
  await expect(page.getByText('A link was sent to countess@lab.org.')).toHaveCount(0);
});

test('the email address cannot be changed on a server without mail', async ({ page, open }) => {
  const state = { ...filledState(now), isEmailUnconfirmed: true };
  await open({ ...state, server: { ...state.server, emailChange: 'missing' } }, { hash });
  await expect(page.getByRole('button', { name: 'Change password' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Change email address' })).toHaveCount(0);
  await expect(page.getByText('Confirm your email address.')).toHaveCount(0);
});

/** This session and 44 others. */
function manySessions() {
  const [own, other] = sampleSessions(now);
  if (own === undefined || other === undefined) throw new Error('There are two sample sessions.');
  const others = Array.from({ length: 44 }, (_, index) => ({ ...other, sessionId: `s-${index}` }));
  return [...others, own];
}

test('of many sessions twenty are shown, this one first, and more on request', async ({ page, open }) => {
  const sessions = { value: manySessions(), loading: false, failure: null };
  await open({ ...filledState(now), sessions }, { hash: '#settings' });
  const rows = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem');
  await expect(rows).toHaveCount(20);
  await expect(rows.first()).toContainText('this session');
  await page.getByRole('button', { name: 'Show 20 more sessions' }).press('Enter');
  await expect(rows).toHaveCount(40);
  await expect(rows.nth(20).getByRole('button', { name: 'End' })).toBeFocused();
  await page.getByRole('button', { name: 'Show 5 more sessions' }).press('Enter');
  await expect(rows).toHaveCount(45);
});

test('all other sessions are ended together, after a failure the rest', async ({ page, open }) => {
  const value = manySessions();
  const done = { result: { ok: true, value: null } } as const;
  const failure = sampleFailure('RATE_LIMITED', now);
  const left = { value: value.slice(-1), loading: false, failure: null };
  const fake = await open(
    { ...filledState(now), sessions: { value, loading: false, failure: null } },
    {
      hash: '#settings',
      script: { endSession: [done, { result: { ok: false, failure } }, { ...done, state: { sessions: left } }] },
    },
  );
  await page.getByRole('button', { name: 'End the other 44 sessions…' }).click();
  const question = page.getByRole('alertdialog', { name: 'End 44 sessions?' });
  await question.getByRole('button', { name: 'End' }).click();
  await expect(question.getByRole('alert')).toContainText('Too many attempts');
  await expect(question.getByRole('status')).toHaveText('43 sessions left');
  await question.getByRole('button', { name: 'End' }).click();
  await expect(question).toHaveCount(0);
  await expect(page.getByText('44 sessions were ended.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Sessions' })).toBeFocused();
  const ids = (await fake.calls('endSession')).map(({ input }) => (input as { sessionId: string }).sessionId);
  expect(new Set(ids).size).toBe(44);
  expect(ids).toHaveLength(45);
});

test('a list of sessions that could not be loaded can be loaded again', async ({ page, open }) => {
  const failure = sampleFailure('SERVER_UNREACHABLE', now);
  const fake = await open(
    { ...filledState(now), sessions: { value: null, loading: false, failure } },
    { hash: '#settings' },
  );
  const panel = page.getByRole('region', { name: 'Sessions' });
  await expect(panel.getByRole('alert')).toContainText('Could not reach the server.');
  const before = (await fake.calls('listSessions')).length;
  await panel.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(async () => (await fake.calls('listSessions')).length).toBe(before + 1);
});

test('sessions are listed, and any but this one can be ended', async ({ page, open }) => {
  const [own] = sampleSessions(now);
  const sessions = { value: own ? [own] : [], loading: false, failure: null };
  const fake = await open(filledState(now), {
    hash,
    script: { endSession: [{ result: { ok: true, value: null }, state: { sessions } }] },
  });
  await expect.poll(() => fake.calls('listSessions')).toHaveLength(1);
  const list = page.getByRole('list', { name: 'Sessions' });
  await expect(list.getByRole('listitem')).toHaveCount(2);
  await expect(list.getByRole('listitem').first()).toContainText('Studio Mac · macOS arm64 this session');
  const other = list.getByRole('listitem', { name: 'Recording cart · Linux x64' });
  await other.getByRole('button', { name: 'End', exact: true }).click();
  await expect(other).toHaveCount(0);
  await expect(list.getByRole('button')).toHaveCount(0);
  expect((await fake.calls('endSession')).map(({ input }) => input)).toEqual([
    { sessionId: sampleSessions(now)[1]?.sessionId },
  ]);
});

test('the data of the account is saved as a file', async ({ page, open }) => {
  const path = '/home/ada/latchkey-account-2027-02-10.json';
  await open(filledState(now), { hash, script: { exportAccount: [{ result: { ok: true, value: { path } } }] } });
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  await expect(page.getByText(`Saved as ${path}.`)).toBeVisible();
});

test('the account is deleted only with the password', async ({ page, open }) => {
  const wrong = { result: { ok: false, failure: sampleFailure('INVALID_CREDENTIALS', now) } } as const;
  const { session, license } = signedOutState(now);
  const done = { result: { ok: true, value: null }, state: { session, license } } as const;
  const fake = await open(filledState(now), { hash, script: { deleteAccount: [wrong, done] } });
  await page.getByRole('button', { name: 'Delete account…' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Delete your account?' });
  await expect(dialog).toContainText('Deletes ada@lab.org with its licenses, devices and API key');
  await dialog.getByRole('button', { name: 'Delete account' }).click();
  expect(await fake.calls('deleteAccount')).toEqual([]);
  await dialog.getByLabel('Current password').fill('wrong');
  await page.keyboard.press('Enter');
  await expect(dialog).toContainText('This is not your current password.');
  await dialog.getByLabel('Current password').fill('quiet harbour lantern');
  await dialog.getByRole('button', { name: 'Delete account' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in to Latchkey');
  await expect(page.getByText('Your account was deleted.')).toBeVisible();
});

test('account management is hidden on a server that does not support it', async ({ page, open }) => {
  const state = filledState(now);
  const fake = await open({ ...state, server: { ...state.server, accountManagement: 'missing' } }, { hash });
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Settings');
  await expect(page.getByRole('heading', { name: 'Your data' })).toHaveCount(0);
  await fake.push({ server: { ...state.server, accountManagement: 'available' } });
  await expect(page.getByRole('heading', { name: 'Your data' })).toBeVisible();
});

for (const [language, names] of [
  ['de', ['Ihre Daten', 'E-Mail-Adresse ändern', 'Passwort ändern', 'Beenden']],
  ['ja', ['データ', 'メールアドレスを変更', 'パスワードを変更', '終了']],
] as const) {
  test(`account management is in the language of the window: ${language}`, async ({ page, open }) => {
    const state = filledState(now);
    await open({ ...state, settings: { ...state.settings, language } }, { hash });
    await expect(page.getByRole('heading', { name: names[0] })).toBeVisible();
    for (const name of names.slice(1)) await expect(page.getByRole('button', { name })).toBeVisible();
  });
}

const dialogs = [
  {
    opened: 'Change password',
    act: 'Change password',
    fields: ['Current password', 'New password'],
    command: 'changePassword',
  },
  {
    opened: 'Change email address',
    act: 'Send link',
    fields: ['New email address', 'Current password'],
    command: 'changeEmail',
  },
  { opened: 'Delete account…', act: 'Delete account', fields: ['Current password'], command: 'deleteAccount' },
] as const;
for (const { opened, act, fields, command } of dialogs) {
  test(`${opened}: what is missing takes the focus, and a wrong password is announced`, async ({ page, open }) => {
    const result = { ok: false, failure: sampleFailure('INVALID_CREDENTIALS', now) } as const;
    await open(filledState(now), { hash, script: { [command]: [{ result }] } });
    await page.getByRole('button', { name: opened }).click();
    const dialog = page.locator('dialog');
    const submit = dialog.getByRole('button', { name: act, exact: true });
    for (const name of fields) {
      await submit.click();
      const field = dialog.getByLabel(name);
      await expect(field).toBeFocused();
      await expect(field).toHaveAccessibleDescription(/enter/i);
      await field.fill('new@lab.org');
    }
    await submit.click();
    await expect(dialog.getByRole('alert')).toHaveText('This is not your current password.');
  });
}
