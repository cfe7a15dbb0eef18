/** `admin plan` and `admin subscription`: what they print, and how a running server applies it. */
import { describe, expect, it } from 'vitest';
import { day } from '../../harness/fake-clock.ts';
import { sharedHttpServer } from '../../harness/http-server.ts';
import { advancedFeatures, freeFeatures, standardFeatures, timestamp, uuid } from '../../harness/response-shapes.ts';
import { createAdmin, expectDocument, expectFailure } from '../../harness/test-admin.ts';
import type { Json } from '../../harness/test-server.ts';
import { signUp, subscriber } from '../../harness/users.ts';

const server = sharedHttpServer();

/** Returns the flags of a features object, without its number of devices. */
function flagsOf({ max_devices: _, ...flags }: typeof freeFeatures) {
  return flags;
}

describe('plan list', () => {
  it('is an array that begins with the three plans of a new server', async () => {
    const plans = expectDocument<Json[]>(await server.run(['plan', 'list', '--json']));
    expect(plans.slice(0, 3)).toMatchObject([
      { id: expect.anything(), name: 'free', max_devices: 1, features: flagsOf(freeFeatures) },
      { id: expect.anything(), name: 'standard', max_devices: 3, features: flagsOf(standardFeatures) },
      { id: expect.anything(), name: 'advanced', max_devices: 10, features: flagsOf(advancedFeatures) },
    ]);
  });
});

describe('plan set', () => {
  it('creates a plan with the given features and all others off', async () => {
    const parameters = ['plan', 'set', 'studio', '--max-devices', '4', '--feature', 'csv_export=true', '--json'];
    const plan = expectDocument(await server.run(parameters));
    expect(plan).toMatchObject({ name: 'studio', max_devices: 4 });
    const { token } = await subscriber(server, 'studio');
    expect((await server.call('subscriptionStatus', { token })).body.features).toStrictEqual({
      ...freeFeatures,
      real_time_visualization: false,
      csv_export: true,
      max_devices: 4,
    });
  });

  it('prints the whole plan with its changes, and the list shows it in its place', async () => {
    const admin = createAdmin();
    const before = await admin.json<Json[]>(['plan', 'list']);
    const flags = ['--feature', 'custom_preprocessing=true', '--feature', 'csv_export=false'];
    const changed = await admin.json<Json>(['plan', 'set', 'standard', ...flags]);
    expect(changed).toStrictEqual({
      ...before[1],
      features: { ...standardFeatures, csv_export: false, custom_preprocessing: true },
      updated_at: timestamp,
    });
    const added = await admin.json<Json>(['plan', 'set', 'lab', '--max-devices', '25', '--feature', 'api_access=true']);
    expect(added).toMatchObject({ name: 'lab', max_devices: 25, features: { api_access: true, csv_export: false } });
    expect(await admin.json(['plan', 'list'])).toStrictEqual([before[0], changed, before[2], added]);
  });

  it('answers VALIDATION_ERROR for an invalid plan name', async () => {
    expectFailure(await server.run(['plan', 'set', 'No Plan', '--json']), 'VALIDATION_ERROR');
  });

  it('changes the given features and leaves the others as they are', async () => {
    await server.admin('plan', 'set', 'changing', '--max-devices', '2', '--feature', 'csv_export=true');
    await server.admin('plan', 'set', 'changing', '--feature', 'api_access=true', '--feature', 'csv_export=false');
    const { token } = await subscriber(server, 'changing');
    expect((await server.call('subscriptionStatus', { token })).body.features).toMatchObject({
      api_access: true,
      csv_export: false,
      max_devices: 2,
    });
  });

  it('applies at once to accounts on the plan', async () => {
    await server.admin('plan', 'set', 'growing', '--feature', 'signal_filtering=false');
    const { token } = await subscriber(server, 'growing');
    await server.admin('plan', 'set', 'growing', '--feature', 'signal_filtering=true');
    const { body } = await server.call('subscriptionStatus', { token });
    expect(body.features).toMatchObject({ signal_filtering: true });
  });
});

describe('subscription set', () => {
  it('prints the subscription with its id, by default active for thirty days', async () => {
    const { email } = await signUp(server);
    const printed = expectDocument(await server.run(['subscription', 'set', email, '--plan', 'standard', '--json']));
    expect(printed).toMatchObject({
      id: uuid,
      plan: 'standard',
      status: 'active',
      current_period_start: timestamp,
      current_period_end: timestamp,
      cancel_at_period_end: false,
    });
    const { current_period_start: start, current_period_end: end } = printed as Record<string, string>;
    expect(Date.parse(end ?? '') - Date.parse(start ?? '')).toBe(30 * day);
  });

  it('accepts a status, an end in the past and the end of renewal', async () => {
    const { email } = await signUp(server);
    const parameters = ['--status', 'past_due', '--period-end', '2020-02-29T12:00:00Z', '--cancel-at-period-end'];
    const printed = expectDocument(
      await server.run(['subscription', 'set', email, '--plan', 'advanced', ...parameters, '--json']),
    );
    expect(printed).toMatchObject({
      plan: 'advanced',
      status: 'expired',
      current_period_end: '2020-02-29T12:00:00.000Z',
      cancel_at_period_end: true,
    });
  });

  it('fails for a plan that does not exist', async () => {
    const { email } = await signUp(server);
    const { stderr } = await server.run(['subscription', 'set', email, '--plan', 'platinum', '--json']);
    expect(JSON.parse(stderr)).toStrictEqual({ error: expect.stringContaining('platinum'), code: 'NOT_FOUND' });
  });

  it('replaces the existing subscription and keeps its id', async () => {
    const { id, email } = await signUp(server);
    const set = (...words: string[]) => server.admin('subscription', 'set', email, '--plan', ...words);
    const first = await set('standard', '--status', 'past_due', '--cancel-at-period-end');
    expect(first).toMatchObject({ user_id: id, plan: 'standard', status: 'past_due', cancel_at_period_end: true });
    const second = await set('advanced');
    expect(second).toMatchObject({ id: first.id, plan: 'advanced', status: 'active', cancel_at_period_end: false });
    expect((await server.admin('user', 'show', email)).subscription).toStrictEqual(second);
  });

  it.each([
    ['2020-01-31', '2020-01-31T00:00:00.000Z', 'expired'],
    ['2020-01-31T12:30:00Z', '2020-01-31T12:30:00.000Z', 'expired'],
    ['2094-01-31T12:30:00.5+02:00', '2094-01-31T10:30:00.500Z', 'active'],
    ['2094-01-31T12:30', '2094-01-31T12:30:00.000Z', 'active'],
  ])('ends its period at %s, past or future', async (time, periodEnd, status) => {
    const { email } = await signUp(server);
    const words = ['subscription', 'set', email, '--plan', 'standard', '--period-end', time];
    expect(await server.admin(...words)).toMatchObject({ current_period_end: periodEnd, status });
  });
});
