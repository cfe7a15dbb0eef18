/** `admin plan` and `admin subscription`, as processes of their own beside a running server. */
import { describe, expect, it } from 'vitest';
import { expectDocument, expectFailure, expectUsage } from '../harness/expect-command.ts';
import { advancedFeatures, freeFeatures, standardFeatures, timestamp, uuid } from '../harness/response-shapes.ts';
import { type Json, startedService } from '../harness/use-server.ts';
import { dayMs, newEmail, signUp, subscriber } from '../harness/users.ts';

const service = startedService();

/** The flags of a features object, without its number. */
function flagsOf({ max_devices: _, ...flags }: typeof freeFeatures) {
  return flags;
}

describe('plan list', () => {
  it('is an array that starts with the three plans of a new server', async () => {
    const plans = expectDocument<Json[]>(await service.command(['plan', 'list', '--json']));
    expect(plans.slice(0, 3)).toMatchObject([
      { id: expect.anything(), name: 'free', max_devices: 1, features: flagsOf(freeFeatures) },
      { id: expect.anything(), name: 'standard', max_devices: 3, features: flagsOf(standardFeatures) },
      { id: expect.anything(), name: 'advanced', max_devices: 10, features: flagsOf(advancedFeatures) },
    ]);
  });
});

describe.concurrent('plan set', () => {
  it('makes a plan with what is given, and everything else off', async () => {
    const parameters = ['plan', 'set', 'studio', '--max-devices', '4', '--feature', 'csv_export=true', '--json'];
    const plan = expectDocument(await service.command(parameters));
    expect(plan).toMatchObject({ name: 'studio', max_devices: 4 });
    const { token } = await subscriber(service, 'studio');
    expect((await service.call('subscriptionStatus', { token })).body.features).toStrictEqual({
      ...freeFeatures,
      real_time_visualization: false,
      csv_export: true,
      max_devices: 4,
    });
  });

  it('changes what is named and leaves the rest', async () => {
    await service.admin('plan', 'set', 'changing', '--max-devices', '2', '--feature', 'csv_export=true');
    await service.admin('plan', 'set', 'changing', '--feature', 'api_access=true', '--feature', 'csv_export=false');
    const { token } = await subscriber(service, 'changing');
    expect((await service.call('subscriptionStatus', { token })).body.features).toMatchObject({
      api_access: true,
      csv_export: false,
      max_devices: 2,
    });
  });

  it('is felt at once by those who are on the plan', async () => {
    await service.admin('plan', 'set', 'growing', '--feature', 'signal_filtering=false');
    const { token } = await subscriber(service, 'growing');
    await service.admin('plan', 'set', 'growing', '--feature', 'signal_filtering=true');
    const { body } = await service.call('subscriptionStatus', { token });
    expect(body.features).toMatchObject({ signal_filtering: true });
  });

  it.each([
    ['an unknown flag', ['--feature', 'teleportation=true']],
    ['a flag without a value', ['--feature', 'csv_export']],
    ['a flag with a value that is none', ['--feature', 'csv_export=perhaps']],
    ['a number that is none', ['--max-devices', 'many']],
    ['a negative number', ['--max-devices', '-1']],
    ['an unknown option', ['--price', '1']],
  ])('is wrong usage with %s', async (_, more) => {
    expectUsage(await service.command(['plan', 'set', 'standard', ...more, '--json']));
  });
});

describe.concurrent('subscription set', () => {
  it('prints the subscription with its id: active for thirty days where nothing else is said', async () => {
    const { email } = await signUp(service);
    const printed = expectDocument(
      await service.command(['subscription', 'set', email, '--plan', 'standard', '--json']),
    );
    expect(printed).toMatchObject({
      id: uuid,
      plan: 'standard',
      status: 'active',
      current_period_start: timestamp,
      current_period_end: timestamp,
      cancel_at_period_end: false,
    });
    const { current_period_start: start, current_period_end: end } = printed as Record<string, string>;
    expect(Date.parse(end ?? '') - Date.parse(start ?? '')).toBe(30 * dayMs);
  });

  it('takes every status, an end in the past and the wish to cancel', async () => {
    const { email } = await signUp(service);
    const parameters = ['--status', 'past_due', '--period-end', '2020-02-29T12:00:00Z', '--cancel-at-period-end'];
    const printed = expectDocument(
      await service.command(['subscription', 'set', email, '--plan', 'advanced', ...parameters, '--json']),
    );
    expect(printed).toMatchObject({
      plan: 'advanced',
      status: 'expired',
      current_period_end: '2020-02-29T12:00:00.000Z',
      cancel_at_period_end: true,
    });
  });

  it('fails for an account that does not exist', async () => {
    const parameters = ['subscription', 'set', newEmail(), '--plan', 'standard', '--json'];
    expectFailure(await service.command(parameters), 'USER_NOT_FOUND');
  });

  it('fails for a plan that does not exist', async () => {
    const { email } = await signUp(service);
    const { code, stdout, stderr } = await service.command([
      'subscription',
      'set',
      email,
      '--plan',
      'platinum',
      '--json',
    ]);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(Object.keys(JSON.parse(stderr)).sort()).toStrictEqual(['code', 'error']);
  });

  it.each([
    ['no plan', []],
    ['an unknown status', ['--plan', 'standard', '--status', 'dormant']],
    ['a status of licenses', ['--plan', 'standard', '--status', 'revoked']],
    ['a date that is none', ['--plan', 'standard', '--period-end', 'tomorrow']],
    ['a day that no month has', ['--plan', 'standard', '--period-end', '2027-02-30']],
  ])('is wrong usage with %s', async (_, more) => {
    expectUsage(await service.command(['subscription', 'set', newEmail(), ...more, '--json']));
  });
});
