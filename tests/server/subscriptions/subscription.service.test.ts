/** Setting subscriptions, and the trial of new accounts. */
import { afterEach, describe, expect, it } from 'vitest';
import { day } from '../../harness/fake-clock.ts';
import { servicesOf } from '../../harness/services-of.ts';
import { startTestApp, type TestApp } from '../../harness/start-app.ts';

const apps: TestApp[] = [];
const start = async (environment = {}) => {
  const test = await startTestApp(environment);
  apps.push(test);
  return test;
};
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});

describe('setting a subscription', () => {
  it('replaces what was there, and keeps its id', async () => {
    const test = await start();
    const { subscriptions } = servicesOf(test);
    const { id } = await test.signUp();
    const first = await subscriptions.set(id, { plan: 'advanced', status: 'canceled', cancelAtPeriodEnd: true });
    const second = await subscriptions.set(id, { plan: 'standard' });
    expect(second).toMatchObject({ id: first.id, plan: 'standard', status: 'active', cancel_at_period_end: false });
    expect(await subscriptions.get(id)).toStrictEqual(second);
  });

  it('takes a period that is over, which then began before it ended', async () => {
    const test = await start();
    const { subscriptions } = servicesOf(test);
    const { id } = await test.signUp();
    const set = await subscriptions.set(id, { plan: 'standard', periodEndMs: Date.UTC(2020, 0, 31) });
    expect(set).toMatchObject({
      status: 'expired',
      gives_access: false,
      current_period_start: '2020-01-01T00:00:00.000Z',
      current_period_end: '2020-01-31T00:00:00.000Z',
    });
  });

  it.each([
    { what: 'an unknown plan', setting: { plan: 'gold' }, code: 'NOT_FOUND' },
    {
      what: 'a date that the interface cannot write',
      setting: { plan: 'free', periodEndMs: 8e15 },
      code: 'VALIDATION_ERROR',
    },
  ])('refuses $what', async ({ setting, code }) => {
    const test = await start();
    const { subscriptions } = servicesOf(test);
    const { id } = await test.signUp();
    await expect(subscriptions.set(id, setting)).rejects.toMatchObject({ code });
    expect(await subscriptions.get(id)).toBeUndefined();
  });
});

describe('a trial', () => {
  it('comes with every new account where the settings say so, and ends by itself', async () => {
    const test = await start({ LATCHKEY_TRIAL_PLAN: 'advanced', LATCHKEY_TRIAL_DAYS: '14' });
    const { subscriptions } = servicesOf(test);
    const { id } = await test.signUp();
    expect(await subscriptions.get(id)).toMatchObject({ plan: 'advanced', status: 'trialing', gives_access: true });
    test.clock.advance(14 * day);
    expect(await subscriptions.get(id)).toMatchObject({ status: 'expired', gives_access: false });
  });

  it('of a plan that is none keeps the server from starting', async () => {
    await expect(startTestApp({ LATCHKEY_TRIAL_PLAN: 'gold' })).rejects.toThrow(/LATCHKEY_TRIAL_PLAN/);
  });
});
