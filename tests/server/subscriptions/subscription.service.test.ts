/** Setting subscriptions, and the trial of new accounts. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { day } from '../../harness/fake-clock.ts';
import { startTestApp } from '../../harness/start-app.ts';
import { signUp } from '../../harness/users.ts';

describe('setting a subscription', () => {
  it('replaces the previous one, and keeps its id', async () => {
    const server = await startTestApp();
    const { subscriptions } = server.services;
    const { id } = await signUp(server);
    const first = await subscriptions.set(
      id,
      { plan: 'advanced', status: 'canceled', cancelAtPeriodEnd: true },
      byCommand,
    );
    const second = await subscriptions.set(id, { plan: 'standard' }, byCommand);
    expect(second).toMatchObject({ id: first.id, plan: 'standard', status: 'active', cancel_at_period_end: false });
    expect(await subscriptions.get(id)).toStrictEqual(second);
  });

  it('of an account that was deleted in the meantime answers NOT_FOUND, as does issuing a license for it', async () => {
    const { services } = await startTestApp();
    const userId = randomUUID();
    const missing = { code: 'NOT_FOUND' };
    await expect(services.subscriptions.set(userId, { plan: 'standard' }, byCommand)).rejects.toMatchObject(missing);
    await expect(services.licenseAdmin.issue({ userId }, byCommand)).rejects.toMatchObject(missing);
  });

  it('accepts a period that has already ended, whose start is then moved before its end', async () => {
    const server = await startTestApp();
    const { subscriptions } = server.services;
    const { id } = await signUp(server);
    const set = await subscriptions.set(id, { plan: 'standard', periodEndMs: Date.UTC(2020, 0, 31) }, byCommand);
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
  ])('rejects $what', async ({ setting, code }) => {
    const server = await startTestApp();
    const { subscriptions } = server.services;
    const { id } = await signUp(server);
    await expect(subscriptions.set(id, setting, byCommand)).rejects.toMatchObject({ code });
    expect(await subscriptions.get(id)).toBeUndefined();
  });
});

describe('a trial', () => {
  it('starts with every new account if configured, and ends by itself', async () => {
    const server = await startTestApp({ LATCHKEY_TRIAL_PLAN: 'advanced', LATCHKEY_TRIAL_DAYS: '14' });
    const { subscriptions } = server.services;
    const { id } = await signUp(server);
    expect(await subscriptions.get(id)).toMatchObject({ plan: 'advanced', status: 'trialing', gives_access: true });
    server.clock.advance(14 * day);
    expect(await subscriptions.get(id)).toMatchObject({ status: 'expired', gives_access: false });
  });

  it('of an unknown plan prevents the server from starting', async () => {
    await expect(startTestApp({ LATCHKEY_TRIAL_PLAN: 'gold' })).rejects.toThrow(/LATCHKEY_TRIAL_PLAN/);
  });
});
