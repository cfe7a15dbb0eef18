/**
 * A thief who has an access token and uses it to guess the password: endpoints that take the password count as
 * sign-ins.
 */
import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../../server/audit/audit-log.service.ts';
import { limitsOn } from '../../harness/environment.ts';
import { minute } from '../../harness/fake-clock.ts';
import { startSmtpServer } from '../../harness/mails.ts';
import { envelope } from '../../harness/response-shapes.ts';
import { startTestApp } from '../../harness/start-app.ts';
import { goodPassword, newEmail, signUp } from '../../harness/users.ts';

const guess = 'not the password';
const newPassword = 'another quiet lantern 12';

/** The endpoints that take the current password of a signed-in user, each with a body that contains it. */
const acts = [
  ['changePassword', (password: string) => ({ current_password: password, new_password: newPassword })],
  ['changeEmail', (password: string) => ({ password, email: newEmail() })],
  ['deleteOwnAccount', (password: string) => ({ password })],
] as const;

async function startApp(limit = '') {
  const smtp = await startSmtpServer();
  return startTestApp({ ...limitsOn, LATCHKEY_RATE_LOGIN: limit, LATCHKEY_SMTP_URL: smtp.url });
}

describe('a stolen access token', () => {
  it.each(acts)(
    'allows five guesses per minute at %s, even from a network that the owner knows',
    async (name, body) => {
      const app = await startApp();
      const { token } = await signUp(app);
      const statuses = [];
      for (let tries = 0; tries < 6; tries++)
        statuses.push((await app.call(name, { token, body: body(guess) })).status);
      expect(statuses).toStrictEqual([401, 401, 401, 401, 401, 429]);
      expect((await app.call(name, { token, body: body(goodPassword) })).body).toStrictEqual(envelope('RATE_LIMITED'));
      app.clock.advance(minute);
      expect((await app.call(name, { token, body: body(goodPassword) })).status).toBe(200);
    },
  );

  it('limits guesses across all endpoints together and across all addresses, to the number in the setting', async () => {
    const app = await startApp('3');
    const { token } = await signUp(app);
    const statuses = [];
    for (let tries = 0; tries < 2; tries++) {
      for (const [name, body] of acts) {
        const from = `10.0.${tries}.${name.length}`;
        statuses.push((await app.call(name, { token, body: body(guess), from })).status);
      }
    }
    expect(statuses).toStrictEqual([401, 401, 401, 429, 429, 429]);
  });

  it('does not use up the guesses of another account', async () => {
    const app = await startApp();
    const [victim, other] = [await signUp(app), await signUp(app)];
    for (let tries = 0; tries < 6; tries++) {
      await app.call('deleteOwnAccount', { token: victim.token, body: { password: guess } });
    }
    expect((await app.call('deleteOwnAccount', { token: other.token, body: { password: goodPassword } })).status).toBe(
      200,
    );
  });
});

describe('the audit log', () => {
  it('records each guess made with a token, who was signed in, and why it was refused', async () => {
    const app = await startTestApp();
    const { email, token } = await signUp(app);
    for (let tries = 0; tries < 21; tries++) {
      await app.call('deleteOwnAccount', { token, body: { password: guess }, from: '192.0.2.1' });
    }
    const of = { actor: email, target: `account ${email}`, address: '192.0.2.1' };
    const refused = async () => {
      const entries = (await app.admin('audit', 'list')) as unknown as readonly AuditEntry[];
      return entries.filter(({ action }) => action === 'account.sign_in_refused');
    };
    // Identical entries within a second are combined into one.
    const counted = async (wanted: string) =>
      (await refused())
        .filter(({ details: { reason } }) => reason === wanted)
        .reduce((sum, { details: { count = 1 } }) => sum + Number(count), 0);
    await expect.poll(() => counted('wrong password')).toBe(20);
    await expect.poll(() => counted('too many tries')).toBe(1);
    for (const entry of await refused()) expect(entry).toMatchObject({ ...of, details: { signed_in: true } });
  });
});
