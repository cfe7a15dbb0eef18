/** `POST /auth/signup`: what a new account gets, and what its email address and password must look like. */
import { describe, expect, it } from 'vitest';
import { day, hour } from '../../harness/fake-clock.ts';
import { accessToken, envelope, refreshToken, sentence, timestamp, uuid } from '../../harness/response-shapes.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { goodPassword, newEmail, signUp } from '../../harness/users.ts';

const server = sharedApp();

function signUpWith(body: Readonly<Record<string, unknown>>) {
  return server.call('signup', { body: { email: newEmail(), password: goodPassword, ...body } });
}

describe('sign-up', () => {
  it('responds with 200, a token set and the user, and nothing else', async () => {
    const email = newEmail();
    const { status, body } = await signUpWith({ email, full_name: 'Ada Example' });
    expect(status).toBe(200);
    expect(body).toStrictEqual({
      access_token: accessToken,
      refresh_token: refreshToken,
      expires_at: timestamp,
      user: { id: uuid, email, full_name: 'Ada Example' },
    });
  });

  it('gives an access token that is valid for one hour', async () => {
    const { body } = await signUpWith({});
    const lifetimeMs = Date.parse(String(body.expires_at)) - server.now();
    expect(Math.abs(lifetimeMs - hour)).toBeLessThan(1000);
  });

  it('gives access at once, without confirmation of the email address', async () => {
    const { token } = await signUp(server);
    expect((await server.call('subscriptionStatus', { token })).status).toBe(200);
  });

  it('gives an empty full_name if none was sent', async () => {
    expect((await signUpWith({})).body.user).toMatchObject({ full_name: '' });
  });

  it.each(['李小龍', 'Zoë 🎧 Ångström', "Robert'); DROP TABLE accounts;--", '<b>bold</b>', 'x'.repeat(200)])(
    'stores the full_name %j unchanged',
    async (fullName) => {
      expect((await signUpWith({ full_name: fullName })).body.user).toMatchObject({ full_name: fullName });
    },
  );

  it('trims the full_name', async () => {
    expect((await signUpWith({ full_name: ' Ada ' })).body.user).toMatchObject({ full_name: 'Ada' });
  });

  it('rejects a full_name of more than 200 characters', async () => {
    const { status, body } = await signUpWith({ full_name: 'x'.repeat(201) });
    expect(status).toBe(400);
    expect(body).toStrictEqual(envelope('VALIDATION_ERROR'));
  });

  it('ignores unknown fields, including __proto__ and constructor', async () => {
    const text = `{"email":${JSON.stringify(newEmail())},"password":${JSON.stringify(goodPassword)},
      "id":"00000000-0000-4000-8000-000000000000","plan":"advanced","is_staff":true,
      "__proto__":{"full_name":"Mallory"},"constructor":{"prototype":{"full_name":"Mallory"}}}`;
    const { status, body } = await server.call('signup', { body: text });
    expect(status).toBe(200);
    expect(body.user).toStrictEqual({ id: uuid, email: expect.any(String), full_name: '' });
    expect(body.user).not.toMatchObject({ id: '00000000-0000-4000-8000-000000000000' });
  });
});

describe('the email address', () => {
  it('is trimmed, and keeps its case', async () => {
    const email = newEmail().replace('user', 'User').replace('example', 'Example');
    expect((await signUpWith({ email: `  ${email}\t` })).body.user).toMatchObject({ email });
  });

  it.each([
    ['unchanged', (email: string) => email],
    ['in upper case', (email: string) => email.toUpperCase()],
    ['with spaces around it', (email: string) => ` ${email} `],
  ])('is taken if an account has it, %s', async (_, spell) => {
    const { email } = await signUp(server);
    const { status, body } = await signUpWith({ email: spell(email) });
    expect(status).toBe(409);
    expect(body).toStrictEqual(envelope('EMAIL_EXISTS'));
  });

  it('is given to exactly one of twenty simultaneous sign-ups, however they spell it', async () => {
    const email = newEmail();
    const spellings = [email, email.toUpperCase(), email.replace('example', 'EXAMPLE'), ` ${email} `];
    const all = Array.from({ length: 5 }, () => spellings).flat();
    const responses = await Promise.all(all.map((spelling) => signUpWith({ email: spelling })));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    const rejected = responses.filter(({ status }) => status !== 200);
    expect(rejected.map(({ body }) => body)).toStrictEqual(Array.from({ length: 19 }, () => envelope('EMAIL_EXISTS')));
  });

  it('may have 254 characters', async () => {
    const local = newEmail().slice(0, 30).padEnd(64, 'x');
    const exact = `${local}@${'d'.repeat(63)}.${'e'.repeat(63)}.${'f'.repeat(57)}.com`;
    expect(exact).toHaveLength(254);
    expect((await signUpWith({ email: exact })).body).toMatchObject({ user: { email: exact } });
  });

  it.each([
    ['is empty', ''],
    ['is blank', '   '],
    ['has no @', 'nobody.example.com'],
    ['has no local part', '@example.com'],
    ['has no domain', 'nobody@'],
    ['has a domain of one label', 'nobody@example'],
    ['has an empty label', 'nobody@example..com'],
    ['has a local part of 65 characters', `${'a'.repeat(65)}@example.com`],
    ['has a space in it', 'no body@example.com'],
    ['has two @', 'nobody@example@example.com'],
    ['holds a NUL', 'nobody\u0000@example.com'],
    ['holds a line break', 'nobody@example.com\r\nBcc: all@example.com'],
    ['has a lone surrogate', 'nobody\ud800@example.com'],
    [
      'has 255 characters',
      `${'a'.repeat(60)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(7)}.com`,
    ],
  ])('is rejected if it %s', async (_, email) => {
    const { status, body } = await signUpWith({ email });
    expect(status).toBe(400);
    expect(body).toStrictEqual({ error: expect.stringMatching(/^email /), code: 'VALIDATION_ERROR' });
  });
});

describe('the password', () => {
  it.each([
    ['8 characters', 'v9%kQz2!'],
    ['8 emoji, which are 16 UTF-16 units', '🦊🎧🌵🚲🧭🪁🫐🎻'],
    ['128 characters', 'zq8-'.repeat(32)],
    ['128 emoji', '🦊🎧🌵🚲'.repeat(32)],
    ['only letters, for there are no composition rules', 'onlylettersinthisone'],
    ['spaces at both ends', '  lantern harbour  '],
    ['letters of another script', 'пароль-для-гавани'],
  ])('may be %s', async (_, password) => {
    const email = newEmail();
    expect((await signUpWith({ email, password })).status).toBe(200);
    expect((await server.call('login', { body: { email, password } })).status).toBe(200);
  });

  it.each([
    ['is empty', ''],
    ['has 7 characters', 'v9%kQz2'],
    ['has 7 emoji, which are 14 UTF-16 units', '🦊🎧🌵🚲🧭🪁🫐'],
    ['has 129 characters', `${'zq8-'.repeat(32)}x`],
    ['has 129 emoji', `${'🦊🎧🌵🚲'.repeat(32)}🧭`],
    ['is a common one', 'password'],
    ['is a common one of digits', '12345678'],
    ['is a common one with digits', 'password123'],
    ['is a common one in another case', 'Password123'],
    ['is a row of the keyboard', 'qwertyuiop'],
    ['is a row of the keyboard in another case', 'QwertyUiop'],
    ['is common, and only the server knows it', 'Brooklyn'],
    ['has a lone surrogate', 'lantern\ud800harbour'],
  ])('is rejected if it %s', async (_, password) => {
    const { status, body } = await signUpWith({ password });
    expect(status).toBe(400);
    expect(body).toStrictEqual({ error: expect.stringMatching(/^password /), code: 'VALIDATION_ERROR' });
  });

  it.each([
    ['unchanged', (email: string) => email],
    ['in another case', (email: string) => email.toUpperCase()],
  ])('is rejected if it is the email address, %s', async (_, spell) => {
    const email = newEmail();
    const { status, body } = await signUpWith({ email, password: spell(email) });
    expect(status).toBe(400);
    expect(body).toStrictEqual(envelope('VALIDATION_ERROR'));
  });

  it('is never truncated: one that differs in its 128th character does not sign in', async () => {
    const email = newEmail();
    await signUpWith({ email, password: `${'zq8-'.repeat(31)}zq8a` });
    const other = await server.call('login', { body: { email, password: `${'zq8-'.repeat(31)}zq8b` } });
    expect(other.body).toStrictEqual(envelope('INVALID_CREDENTIALS'));
  });

  it('is never trimmed: it does not sign in without its leading and trailing spaces', async () => {
    const email = newEmail();
    await signUpWith({ email, password: '  lantern harbour  ' });
    const other = await server.call('login', { body: { email, password: 'lantern harbour' } });
    expect(other.body).toStrictEqual(envelope('INVALID_CREDENTIALS'));
  });

  it('is the same however its accents are composed', async () => {
    const email = newEmail();
    await signUpWith({ email, password: 'cafe\u0301-lumie\u0300re' });
    expect((await server.call('login', { body: { email, password: 'caf\u00e9-lumi\u00e8re' } })).status).toBe(200);
  });

  it('never appears in the response', async () => {
    const { text } = await signUpWith({ password: 'a-password-of-its-own' });
    expect(text).not.toContain('a-password-of-its-own');
  });
});

describe('a sign-up without a required field', () => {
  it.each(['email', 'password'])('is rejected if %s is missing', async (name) => {
    const { status, body } = await signUpWith({ [name]: undefined });
    expect(status).toBe(400);
    expect(body).toStrictEqual({ error: sentence, code: 'VALIDATION_ERROR' });
  });
});

describe('with LATCHKEY_TRIAL_PLAN', () => {
  const trials = sharedApp({ LATCHKEY_TRIAL_PLAN: 'advanced', LATCHKEY_TRIAL_DAYS: '10' });

  it('a new account has a trial of that plan for so many days', async () => {
    const { token } = await signUp(trials);
    const { body } = await trials.call('subscriptionStatus', { token });
    expect(body).toMatchObject({
      has_subscription: true,
      subscription: { plan: 'advanced', status: 'trialing' },
      features: { mental_state_detection: true },
    });
    const { current_period_start: start, current_period_end: end } = body.subscription as Record<string, string>;
    expect(Date.parse(end ?? '') - Date.parse(start ?? '')).toBe(10 * day);
  });
});
