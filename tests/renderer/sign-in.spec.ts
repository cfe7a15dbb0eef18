/** The sign-in screen: names of controls, field errors, failures, and using another server. */
import { commonPasswordMessage } from '../../shared/formats/password.ts';
import {
  doctorReport,
  filledState,
  firstServerState,
  from,
  sampleFailure,
  sampleOffers,
  signedOutState,
  withServer,
} from './sample-states.ts';
import { expect, test } from './window-fixture.ts';

const now = Date.now();

test('a user can sign in with only the keyboard', async ({ page, open }) => {
  const fake = await open(signedOutState(now), {
    script: { signIn: [{ result: { ok: true, value: null }, state: filledState(now) }] },
  });
  await expect(page.getByLabel('Email', { exact: true })).toBeFocused();
  await page.keyboard.type(' ada@lab.org ');
  await page.keyboard.press('Tab');
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused();
  await page.keyboard.type('correct horse');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('status', { name: 'License state' })).toContainText('Everything works');
  expect(await fake.calls('signIn')).toEqual([
    { command: 'signIn', input: { email: 'ada@lab.org', password: 'correct horse' } },
  ]);
});

test('a wrong password is an alert that says what to do, with the code in its details', async ({ page, open }) => {
  await open(signedOutState(now), {
    script: { signIn: [{ result: { ok: false, failure: sampleFailure('INVALID_CREDENTIALS', now) } }] },
  });
  await page.getByLabel('Email', { exact: true }).fill('ada@lab.org');
  await page.getByLabel('Password', { exact: true }).fill('wrong');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  const alert = page.getByRole('alert');
  await expect(alert).toContainText('The email or password is incorrect.');
  await expect(alert).toContainText('Check both and try again.');
  await expect(alert.getByText('INVALID_CREDENTIALS', { exact: true })).toBeHidden();
  await alert.getByText('Details').click();
  await expect(alert.getByText('INVALID_CREDENTIALS', { exact: true })).toBeVisible();
  await expect(alert).toContainText('req-01hf3k8m');
  await expect(alert.getByRole('button', { name: 'Copy all' })).toBeVisible();
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue('ada@lab.org');
});

test('field errors are shown beside the field and nothing is sent', async ({ page, open }) => {
  const fake = await open(signedOutState(now));
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByText('Enter your email address.')).toBeVisible();
  await expect(page.getByText('Enter your password.')).toBeVisible();
  await expect(page.getByLabel('Email', { exact: true })).toBeFocused();
  for (const email of ['ada', 'ada lab@lab.org']) {
    await page.getByLabel('Email', { exact: true }).fill(email);
    await expect(page.getByText('Enter an email address such as')).toHaveCount(0);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expect(page.getByText('Enter an email address such as')).toBeVisible();
  }
  expect(await fake.calls('signIn')).toEqual([]);
});

test('signing in sends a password of any length, since another server may have other rules', async ({ page, open }) => {
  const fake = await open(signedOutState(now));
  await page.getByLabel('Email', { exact: true }).fill('ada@lab.org');
  await page.getByLabel('Password', { exact: true }).fill('short');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect.poll(async () => (await fake.calls('signIn')).length).toBe(1);
});

test('sign-up replaces sign-in in place and also asks for a name', async ({ page, open }) => {
  const fake = await open(signedOutState(now));
  await expect(page.getByLabel('Full name')).toHaveCount(0);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByLabel('Full name').fill('Ada Lovelace');
  await page.getByLabel('Email', { exact: true }).fill('ada@lab.org');
  // The second password has 8 UTF-16 units, but 4 characters.
  for (const password of ['short', '🔑🔑🔑🔑']) {
    await page.getByLabel('Password', { exact: true }).fill(password);
    await expect(page.getByText('Use at least 8 characters.', { exact: true })).toHaveCount(0);
    await page.getByRole('button', { name: 'Create account' }).click();
    await expect(page.getByText('Use at least 8 characters.', { exact: true })).toBeVisible();
  }
  await page.getByLabel('Password', { exact: true }).fill('correct horse');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect
    .poll(() => fake.calls('signUp'))
    .toEqual([
      { command: 'signUp', input: { email: 'ada@lab.org', password: 'correct horse', fullName: 'Ada Lovelace' } },
    ]);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByLabel('Full name')).toHaveCount(0);
});

test('when accounts are by invitation, the screen says so and offers no sign-up', async ({ page, open }) => {
  const invited = { offers: { ...sampleOffers, signUp: 'invited' } } as const;
  const fake = await open(withServer(signedOutState(now), invited));
  await expect(page.getByText('Accounts on this server are by invitation.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Create account' })).toHaveCount(0);
  await expect(page.getByText('New to Latchkey?')).toHaveCount(0);
  // As after a change of the server or its settings.
  await fake.push({ server: { ...signedOutState(now).server, offers: sampleOffers } });
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByLabel('Full name')).toBeVisible();
  // The sign-up was closed while the form was open.
  await fake.push({ server: { ...signedOutState(now).server, ...invited } });
  await expect(page.getByLabel('Full name')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
});

test('a sign-up that the server refuses says that accounts are by invitation', async ({ page, open }) => {
  const failure = sampleFailure('SIGN_UP_CLOSED', now);
  await open(signedOutState(now), { script: { signUp: [{ result: { ok: false, failure } }] } });
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByLabel('Email', { exact: true }).fill('ada@lab.org');
  await page.getByLabel('Password', { exact: true }).fill('correct horse');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByRole('alert')).toContainText('Accounts on this server are by invitation.');
  await expect(page.getByRole('alert')).toContainText('Ask the person who runs the server for an invitation.');
});

test('a new password must be as long as the server requires', async ({ page, open }) => {
  const offers = { ...sampleOffers, passwordMinLength: 14 };
  const fake = await open(withServer(signedOutState(now), { offers }));
  await page.getByRole('button', { name: 'Create account' }).click();
  const password = page.getByLabel('Password', { exact: true });
  await expect(password).toHaveAccessibleDescription(/14/);
  await page.getByLabel('Email', { exact: true }).fill('ada@lab.org');
  await password.fill('correct horse');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByText('Use at least 14 characters.', { exact: true })).toBeVisible();
  expect(await fake.calls('signUp')).toEqual([]);
  await password.fill('correct horse battery');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect.poll(async () => (await fake.calls('signUp')).length).toBe(1);
});

test('a server that sends no mail has no "Forgot password?"', async ({ page, open }) => {
  const forgot = page.getByRole('button', { name: 'Forgot password?' });
  const fake = await open(withServer(signedOutState(now), { offers: sampleOffers, passwordReset: 'available' }));
  await expect(forgot).toBeVisible();
  const offers = { ...sampleOffers, mail: false };
  await fake.push({ server: { ...signedOutState(now).server, offers, passwordReset: 'missing' } });
  await expect(forgot).toHaveCount(0);
});

test('a validation error shows the server’s message', async ({ page, open }) => {
  const failure = sampleFailure('VALIDATION_ERROR', now, { message: 'password: this one is in our own list' });
  await open(signedOutState(now), { script: { signUp: [{ result: { ok: false, failure } }] } });
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByLabel('Email', { exact: true }).fill('ada@lab.org');
  await page.getByLabel('Password', { exact: true }).fill('correct horse');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByRole('alert')).toContainText('this one is in our own list');
});

test('a rejected email or password is explained at its field, in the language of the window', async ({
  page,
  open,
}) => {
  const failure = sampleFailure('VALIDATION_ERROR', now, { message: commonPasswordMessage });
  await open(
    { ...signedOutState(now), settings: { ...signedOutState(now).settings, language: 'de' } },
    {
      script: { signUp: Array.from({ length: 3 }, () => ({ result: { ok: false, failure } })) },
    },
  );
  const create = page.getByRole('button', { name: 'Konto erstellen' });
  const [email, password] = [page.getByLabel('E-Mail-Adresse'), page.getByLabel('Passwort', { exact: true })];
  await create.click();
  await email.fill('ada@lab.org');
  await password.fill('password1');
  await create.click();
  await expect(password).toHaveAccessibleDescription(/Passwort ist sehr weit verbreitet/);
  await expect(page.getByText('one of the most common ones')).toHaveCount(0);
  await password.fill('correct horse');
  await expect(password).not.toHaveAccessibleDescription(/weit verbreitet/);
  await password.fill('known to the server only');
  await create.click();
  await expect(password).toHaveAccessibleDescription(/Passwort ist sehr weit verbreitet/);
  await email.fill('ada@lab');
  await create.click();
  await expect(email).toHaveAccessibleDescription(/Geben Sie eine E-Mail-Adresse wie/);
});

test('after too many attempts a countdown runs until the next one is allowed', async ({ page, open }) => {
  const failure = { ...sampleFailure('RATE_LIMITED', now), at: from(now, 0), retryAfterSeconds: 4 };
  await page.clock.setFixedTime(now);
  await open(signedOutState(now), { script: { signIn: [{ result: { ok: false, failure } }] } });
  await page.getByLabel('Email', { exact: true }).fill('ada@lab.org');
  await page.getByLabel('Password', { exact: true }).fill('wrong');
  const signIn = page.getByRole('button', { name: 'Sign in', exact: true });
  await signIn.click();
  await expect(page.getByRole('alert')).toContainText('Try again in 4 s.');
  await expect(signIn).toBeDisabled();
  await page.clock.setFixedTime(now + 3000);
  await expect(page.getByRole('alert')).toContainText('Try again in 1 s.');
  await expect(signIn).toBeDisabled();
  await page.clock.setFixedTime(now + 4000);
  await expect(signIn).toBeEnabled();
  await expect(page.getByRole('alert')).toContainText('Wait a moment, then try again.');
});

test('setting the clock back does not prolong the countdown', async ({ page, open }) => {
  const failure = { ...sampleFailure('RATE_LIMITED', now), at: from(now, 0), retryAfterSeconds: 4 };
  await page.clock.install({ time: now });
  await open(signedOutState(now), { script: { signIn: [{ result: { ok: false, failure } }] } });
  await page.getByLabel('Email', { exact: true }).fill('ada@lab.org');
  await page.getByLabel('Password', { exact: true }).fill('wrong');
  const signIn = page.getByRole('button', { name: 'Sign in', exact: true });
  await signIn.click();
  await expect(page.getByRole('alert')).toContainText('Too many attempts');
  await page.clock.setSystemTime(now - 86_400_000);
  await page.clock.runFor(6000);
  await expect(signIn).toBeEnabled();
  await expect(page.getByRole('alert')).toContainText('Wait a moment, then try again.');
});

test('another server is used on Enter or on signing in', async ({ page, open }) => {
  const state = signedOutState(now);
  const moved = { server: { ...state.server, address: 'http://127.0.0.1:9000' } };
  const fake = await open(state, {
    script: { setServerAddress: [{ result: { ok: true, value: null }, state: moved }] },
  });
  await expect(page.getByText('https://license.lab.org')).toBeVisible();
  await page.getByRole('button', { name: 'Use another server' }).click();
  await page.getByLabel('Server address').fill('http://127.0.0.1:9000');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Server: http://127.0.0.1:9000')).toBeVisible();
  await page.getByRole('button', { name: 'Use another server' }).click();
  await page.getByLabel('Server address').fill('https://other.example');
  await page.getByLabel('Email', { exact: true }).fill('ada@lab.org');
  await page.getByLabel('Password', { exact: true }).fill('correct horse');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect
    .poll(async () => (await fake.calls()).map(({ command }) => command))
    .toEqual(['getState', 'setServerAddress', 'setServerAddress', 'signIn']);
});

test('a failure of the previous server is no longer shown once another one is used', async ({ page, open }) => {
  const state = signedOutState(now);
  const failure = sampleFailure('SERVER_UNREACHABLE', now);
  const moved = { server: { ...state.server, address: 'https://other.example' } };
  await open(state, {
    script: {
      signIn: [{ result: { ok: false, failure } }],
      setServerAddress: [{ result: { ok: true, value: null }, state: moved }],
    },
  });
  await page.getByLabel('Email', { exact: true }).fill('ada@lab.org');
  await page.getByLabel('Password', { exact: true }).fill('correct horse');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toContainText('Could not reach the server.');
  await page.getByRole('button', { name: 'Use another server' }).click();
  await page.getByLabel('Server address').fill('https://other.example');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Server: https://other.example')).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('the default server is one press away while another one is used', async ({ page, open }) => {
  const state = signedOutState(now);
  const address = 'https://mistyped.example';
  const isDefault = { server: state.server };
  const fake = await open(
    { ...state, app: { ...state.app, defaultServer: 'https://license.lab.org' }, server: { ...state.server, address } },
    { script: { setServerAddress: [{ result: { ok: true, value: null }, state: isDefault }] } },
  );
  await page.getByRole('button', { name: 'Use the default server' }).press('Enter');
  await expect(page.getByText('Server: https://license.lab.org')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Use the default server' })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Use another server' })).toBeFocused();
  expect(await fake.calls('setServerAddress')).toMatchObject([{ input: { address: 'https://license.lab.org' } }]);
});

test('Escape and Cancel keep the present server, and return the focus to where the address was opened', async ({
  page,
  open,
}) => {
  const fake = await open(signedOutState(now));
  const another = page.getByRole('button', { name: 'Use another server' });
  const field = page.getByLabel('Server address');
  for (const cancel of [
    () => page.keyboard.press('Escape'),
    () => page.getByRole('button', { name: 'Cancel' }).click(),
  ]) {
    await another.press('Enter');
    await expect(field).toBeFocused();
    await field.fill('https://other.example');
    await cancel();
    await expect(field).toHaveCount(0);
    await expect(another).toBeFocused();
    await expect(page.getByText('https://license.lab.org')).toBeVisible();
  }
  await another.press('Enter');
  await field.fill('https://other.example');
  await field.press('Enter');
  await expect(another).toBeFocused();
  expect((await fake.calls('setServerAddress')).map(({ input }) => input)).toEqual([
    { address: 'https://other.example' },
  ]);
});

test('an invalid address is an alert, and nothing is sent to the old server', async ({ page, open }) => {
  const fake = await open(signedOutState(now), {
    script: { setServerAddress: [{ result: { ok: false, failure: sampleFailure('SERVER_ADDRESS_INVALID', now) } }] },
  });
  await page.getByRole('button', { name: 'Use another server' }).click();
  await page.getByLabel('Server address').fill('http://license.lab.org');
  await page.getByLabel('Email', { exact: true }).fill('ada@lab.org');
  await page.getByLabel('Password', { exact: true }).fill('correct horse');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByRole('alert')).toContainText('This server address is not valid.');
  expect(await fake.calls('signIn')).toEqual([]);
});

for (const reason of ['session-expired', 'session-revoked', 'store-unreadable', 'server-changed'] as const) {
  test(`a user who is signed out while working sees why: ${reason}`, async ({ page, open }) => {
    const fake = await open(filledState(now), { hash: '#devices' });
    await expect(page.getByRole('heading', { name: 'Devices', level: 1 })).toBeVisible();
    await fake.push({ ...signedOutState(now), session: { kind: 'signed-out', reason } });
    await expect(page.getByText(/^You were signed out: /)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
  });
}

test('a user whose session has ended only has to enter the password, also after a restart', async ({ page, open }) => {
  const session = { kind: 'signed-out', reason: 'session-expired', email: 'ada@lab.org' } as const;
  const fake = await open({ ...signedOutState(now), session });
  await expect(page.getByText(/^You were signed out: your session expired/)).toBeVisible();
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue('ada@lab.org');
  const password = page.getByLabel('Password', { exact: true });
  await expect(password).toBeFocused();
  await password.fill('correct horse');
  await page.keyboard.press('Enter');
  expect((await fake.calls('signIn')).map(({ input }) => input)).toEqual([
    { email: 'ada@lab.org', password: 'correct horse' },
  ]);
});

for (const reason of [null, 'server-changed'] as const) {
  test(`the sign-in does not remember the previous user's email: ${reason}`, async ({ page, open }) => {
    const fake = await open(filledState(now));
    await fake.push({ ...signedOutState(now), session: { kind: 'signed-out', reason } });
    await expect(page.getByLabel('Email', { exact: true })).toHaveValue('');
    await expect(page.getByLabel('Email', { exact: true })).toBeFocused();
  });
}

test('the data can be removed by a user who is signed out, and says what happens to the device', async ({
  page,
  open,
}) => {
  const fake = await open(signedOutState(now));
  await page.getByRole('button', { name: 'Remove data…' }).click();
  const question = page.getByRole('alertdialog', { name: 'Remove all data from this computer?' });
  await expect(question).toContainText('To release it, sign in first.');
  await expect(question.getByRole('switch')).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Remove data…' })).toBeFocused();
  await page.keyboard.press('Enter');
  await question.getByRole('button', { name: 'Remove and quit' }).click();
  expect((await fake.calls('removeData')).map(({ input }) => input)).toEqual([{ release: false }]);
});

test('a slow start is announced', async ({ page, open }) => {
  await open(null);
  await expect(page.getByText('Starting Latchkey…')).toBeVisible();
});

test('the next user starts at the overview, not where the previous one left', async ({ page, open }) => {
  const fake = await open(signedOutState(now), { hash: '#devices' });
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
  await fake.push(filledState(now));
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible();
});

test('an app without a server asks for its address first, and says what is wrong with it', async ({ page, open }) => {
  const state = signedOutState(now);
  const fake = await open(firstServerState(now), {
    script: {
      setServerAddress: [
        { result: { ok: false, failure: sampleFailure('SERVER_ADDRESS_INVALID', now) } },
        { result: { ok: true, value: null }, state },
      ],
    },
  });
  await expect(page.getByRole('heading', { level: 1, name: 'Connect to your license server' })).toBeVisible();
  await expect(page.getByLabel('Server address')).toBeFocused();
  await expect(page.getByRole('button', { name: 'Continue' })).toBeDisabled();
  await page.keyboard.type('http://licenses.example.com');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toBeVisible();
  await page.getByLabel('Server address').fill(' https://licenses.example.com ');
  await expect(page.getByRole('alert')).toHaveCount(0);
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByLabel('Email', { exact: true })).toBeVisible();
  expect((await fake.calls('setServerAddress')).at(-1)?.input).toEqual({ address: 'https://licenses.example.com' });
});

for (const [what, state] of [
  ['who cannot sign in', signedOutState(now)],
  ['who has no server yet', firstServerState(now)],
] as const) {
  test(`somebody ${what} can still run the doctor, and save a support file`, async ({ page, open }) => {
    const fake = await open(state, {
      script: {
        runDoctor: [{ result: { ok: true, value: doctorReport({}) } }],
        supportFile: [{ result: { ok: true, value: { text: '{"format":1}' } } }],
        saveSupportFile: [{ result: { ok: true, value: { path: '/tmp/support.json' } } }],
      },
    });
    await page.getByRole('button', { name: 'Connection doctor' }).click();
    await expect(page.getByRole('dialog', { name: 'Connection doctor' })).toContainText('All steps are OK.');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Save support file…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Support file' });
    await expect(dialog.getByLabel('Content of the file')).toHaveValue('{"format":1}');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByText('Saved as /tmp/support.json')).toBeVisible();
    expect(await fake.calls('saveSupportFile')).toHaveLength(1);
  });
}

for (const [button, command] of [
  ['Sign in', 'signIn'],
  ['Create account', 'signUp'],
] as const) {
  test(`${button} at a slow server says so after some seconds and can be canceled`, async ({ page, open }) => {
    await page.clock.install({ time: now });
    const canceled = { result: { ok: false, failure: sampleFailure('CANCELED', now) }, isHeld: true } as const;
    const fake = await open(signedOutState(now), { script: { [command]: [canceled] } });
    if (command === 'signUp') await page.getByRole('button', { name: button }).click();
    await page.getByLabel('Email', { exact: true }).fill('ada@lab.org');
    await page.getByLabel('Password', { exact: true }).fill('correct horse');
    await page.getByRole('button', { name: button, exact: true }).click();
    const cancel = page.getByRole('button', { name: 'Cancel' });
    await expect.poll(async () => (await fake.calls(command)).length).toBe(1);
    await expect(cancel).toHaveCount(0);
    await page.clock.fastForward(4000);
    await expect(page.getByText('The server has not responded yet.')).toBeVisible();
    await cancel.click();
    expect(await fake.calls('cancelSignIn')).toHaveLength(1);
    await fake.release();
    await expect(cancel).toHaveCount(0);
    await expect(page.getByText('The server has not responded yet.')).toHaveCount(0);
    await expect(page.getByRole('button', { name: button, exact: true })).toBeFocused();
    await expect(page.getByRole('alert')).toHaveCount(0);
    await expect(page.getByLabel('Password', { exact: true })).toHaveValue('correct horse');
  });
}

test('a sign-in moves nothing on the screen until the server is slow', async ({ page, open }) => {
  await page.clock.install({ time: now });
  const held = { result: { ok: false, failure: sampleFailure('CANCELED', now) }, isHeld: true } as const;
  const fake = await open(signedOutState(now), { script: { signIn: [held] } });
  await page.getByLabel('Email', { exact: true }).fill('ada@lab.org');
  await page.getByLabel('Password', { exact: true }).fill('correct horse');
  const card = page.locator('.sign-in-card');
  const before = await card.boundingBox();
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await fake.calls('signIn')).length).toBe(1);
  expect(await card.boundingBox()).toEqual(before);
  await page.clock.fastForward(4000);
  await expect(page.getByText('The server has not responded yet.')).toBeInViewport();
});

test('a sign-in at a slow server that fails while its Cancel has the focus leaves the focus on the form', async ({
  page,
  open,
}) => {
  await page.clock.install({ time: now });
  const failed = { result: { ok: false, failure: sampleFailure('SERVER_UNREACHABLE', now) }, isHeld: true } as const;
  const fake = await open(signedOutState(now), { script: { signIn: [failed] } });
  await page.getByLabel('Email', { exact: true }).fill('ada@lab.org');
  await page.getByLabel('Password', { exact: true }).fill('correct horse');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await fake.calls('signIn')).length).toBe(1);
  await page.clock.fastForward(4000);
  await page.getByRole('button', { name: 'Cancel' }).focus();
  await fake.release();
  await expect(page.getByRole('alert')).toContainText('Could not reach the server.');
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeFocused();
});
