/** Limits for staff: passwords are limited as for users, and the requests of each member have a separate limit. */
import { describe, expect, it } from 'vitest';
import { limitsOn } from '../../harness/environment.ts';
import { minute } from '../../harness/fake-clock.ts';
import { envelope } from '../../harness/response-shapes.ts';
import { fromPage, newStaff, StaffBrowser } from '../../harness/staff.ts';
import { sharedApp, startTestApp } from '../../harness/start-app.ts';
import { goodPassword } from '../../harness/users.ts';

const repeated = (status: number, count: number) => Array.from({ length: count }, () => status);
let addresses = 0;
const newAddress = () => `10.9.${++addresses}.1`;

describe('password attempts', () => {
  it('to sign in are limited to 5 per minute and client, together with those of users', async () => {
    const server = await startTestApp(limitsOn);
    const { email } = await newStaff(server, 'owner');
    server.clock.advance(minute);
    const from = '10.8.0.1';
    const statuses = [];
    for (let index = 0; index < 3; index++) {
      const body = { email, password: 'not the password' };
      statuses.push((await server.call('staffSignIn', { body, from, headers: fromPage })).status);
      statuses.push((await server.call('login', { body, from })).status);
    }
    expect(statuses).toStrictEqual([...repeated(401, 5), 429]);
  });

  it('from unknown addresses are limited to 20 per minute and account across all addresses, which is recorded', async () => {
    const server = await startTestApp(limitsOn);
    const { email } = await newStaff(server, 'owner');
    server.clock.advance(minute);
    const guess = async (password = 'not the password') => {
      const options = { body: { email, password }, from: newAddress(), headers: fromPage };
      return (await server.call('staffSignIn', options)).status;
    };
    const statuses = [];
    for (let index = 0; index < 21; index++) statuses.push(await guess());
    expect(statuses).toStrictEqual([...repeated(401, 20), 429]);
    expect(await guess(goodPassword)).toBe(429);
    // The member has signed in from this address before.
    expect((await new StaffBrowser(server).signIn(email)).status).toBe(200);
    const reasons = async () => {
      const { rows } = await server.services.auditList.readPage({ action: 'staff.sign_in_refused' }, { limit: 200 });
      return new Set(rows.map(({ details }) => details.reason));
    };
    await expect.poll(reasons).toStrictEqual(new Set(['wrong password', 'too many tries']));
  });

  it('to confirm are limited to 5 per minute, even from a known address', async () => {
    const server = await startTestApp(limitsOn);
    const { browser } = await newStaff(server, 'owner');
    const statuses = [];
    for (let index = 0; index < 6; index++) {
      statuses.push((await browser.call('staffConfirm', { body: { password: 'not the password' } })).status);
    }
    expect(statuses).toStrictEqual([...repeated(401, 5), 429]);
    const { body } = await browser.call('staffConfirm', { body: { password: goodPassword } });
    expect(body).toStrictEqual(envelope('RATE_LIMITED'));
  });
});

describe('requests of a member', () => {
  const server = sharedApp(limitsOn);

  it('are limited to 600 per minute, across all endpoints, whatever the limits for users', async () => {
    const { browser } = await newStaff(server, 'viewer');
    server.clock.advance(minute);
    const other = await newStaff(server, 'viewer');
    for (let index = 0; index < 300; index++) {
      expect((await browser.call('plans')).status).toBe(200);
      expect((await browser.call('staffSession')).status).toBe(200);
    }
    expect((await browser.call('plans')).status).toBe(429);
    expect((await other.browser.call('plans')).status).toBe(200);
  });
});
