/** `GET /about`: what the server offers, and nothing beyond that. */
import { expect, it } from 'vitest';
import { startTestApp } from '../harness/start-app.ts';

it('GET /about says by default that anybody may sign up, and requires no token', async () => {
  const app = await startTestApp();
  const { status, body } = await app.call('about', {});
  expect(status).toBe(200);
  expect(body).toStrictEqual({
    sign_up: 'open',
    password_min_length: 8,
    mail: false,
    leases: true,
    account_page: true,
  });
});

it('GET /about reflects the settings', async () => {
  const app = await startTestApp({
    LATCHKEY_SIGN_UP: 'invited',
    LATCHKEY_PASSWORD_MIN_LENGTH: '12',
    LATCHKEY_SMTP_URL: 'smtp://localhost:2525',
    LATCHKEY_ACCOUNT_PAGE: '0',
  });
  expect((await app.call('about', {})).body).toStrictEqual({
    sign_up: 'invited',
    password_min_length: 12,
    mail: true,
    leases: true,
    account_page: false,
  });
});
