/** Sign-up and what an email and a password must be. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/start-app.ts';

let service: TestApp;
beforeEach(async () => {
  service = await startTestApp();
});
afterEach(() => service.close());

const signUp = (body: unknown) => service.call('POST', '/auth/signup', { body });

describe('sign-up', () => {
  it('answers with a token set and the user, and nothing else', async () => {
    const answer = await signUp({ email: 'Ada@Example.com ', password: 'violet tram', full_name: ' Ada ' });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body).sort()).toEqual(['access_token', 'expires_at', 'refresh_token', 'user']);
    expect(answer.body.user).toEqual({ id: expect.any(String), email: 'Ada@Example.com', full_name: 'Ada' });
    expect(answer.body.refresh_token).toMatch(/^v1\.[\w-]{43}$/);
  });

  it('creates exactly one account when the same email signs up many times at once', async () => {
    const spellings = ['a@b.example', 'A@b.example', 'a@B.example', 'A@B.EXAMPLE', ' a@b.example '];
    const answers = await Promise.all(spellings.map((email) => signUp({ email, password: 'violet tram' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    expect(answers.filter(({ status }) => status === 409).every(({ body }) => body.code === 'EMAIL_EXISTS')).toBe(true);
  });

  it.each([
    'ada',
    'ada@',
    '@example.com',
    'ada@example',
    'a da@example.com',
    'ada@@example.com',
    'ada@example..com',
    'ada\u0000@example.com',
    'ada\ud800@example.com',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(60)}.${'f'.repeat(20)}`,
  ])('refuses %j as an email', async (email) => {
    const answer = await signUp({ email, password: 'violet tram' });
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
    expect(answer.body.error).toMatch(/^email /);
  });

  it.each([
    ['7 characters', 'violet1'],
    ['7 code points of two units each', '🦊'.repeat(7)],
    ['129 characters', `${'ab'.repeat(64)}c`],
    ['a common one', 'Password123'],
    ['a keyboard run', 'QwertyUiop'],
    ['the email', 'ADA@example.com'],
    ['a lone surrogate', 'violet tram \ud800'],
  ])('refuses %s as a password', async (_what, password) => {
    const answer = await signUp({ email: 'ada@example.com', password });
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
    expect(answer.body.error).toMatch(/^password /);
  });

  it.each([
    ['8 code points', '🦊🐻🦉🐝🐳🦀🐙🦔'],
    ['128 characters', 'ab'.repeat(64)],
    ['spaces', 'a b c d e f'],
  ])('accepts %s as a password', async (_what, password) => {
    expect((await signUp({ email: 'ada@example.com', password })).status).toBe(200);
  });

  it('takes the composed and the decomposed form of a password for the same', async () => {
    await signUp({ email: 'ada@example.com', password: 'caf\u00e9 violet' });
    const body = { email: 'ada@example.com', password: 'cafe\u0301 violet' };
    expect((await service.call('POST', '/auth/login', { body })).status).toBe(200);
  });

  it('keeps neither password nor tokens in the log', async () => {
    const person = await service.signUp();
    for (const secret of [person.password, person.accessToken, person.refreshToken]) {
      expect(service.logText()).not.toContain(secret);
    }
  });
});
