/** `plan` and `subscription`. */
import { describe, expect, it } from 'vitest';
import { createAdmin } from '../../harness/run-admin.ts';

const dayMs = 24 * 60 * 60 * 1000;

describe('plan', () => {
  it('list prints the seeded plans, set changes a plan or adds one', async () => {
    const admin = createAdmin();
    const before = await admin.json<{ name: string }[]>(['plan', 'list']);
    expect(before.map(({ name }) => name)).toEqual(['free', 'standard', 'advanced']);

    const flags = ['--feature', 'custom_preprocessing=true', '--feature', 'csv_export=false'];
    const changed = await admin.json<{ features: unknown }>(['plan', 'set', 'standard', ...flags]);
    expect(changed).toEqual({
      ...before[1],
      features: {
        real_time_visualization: true,
        osc_lsl_streaming: true,
        session_recording: true,
        csv_export: false,
        api_access: true,
        signal_filtering: true,
        custom_preprocessing: true,
        mental_state_detection: false,
        max_devices: 3,
      },
      updated_at: expect.any(String),
    });

    const added = await admin.json(['plan', 'set', 'lab', '--max-devices', '25', '--feature', 'api_access=true']);
    expect(added).toMatchObject({ name: 'lab', max_devices: 25, features: { api_access: true, csv_export: false } });
    expect(await admin.json(['plan', 'list'])).toEqual([before[0], changed, before[2], added]);
  });

  it('an invalid name is rejected', async () => {
    expect(await createAdmin().failure(['plan', 'set', 'No Plan'])).toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

describe('subscription set', () => {
  it('is active for 30 days by default, and replaces what was there', async () => {
    const admin = createAdmin();
    const { id } = await admin.createUser('ada@example.com');
    const set = (...more: string[]) => admin.json(['subscription', 'set', 'ada@example.com', '--plan', ...more]);

    const first = await set('standard', '--status', 'past_due', '--cancel-at-period-end');
    expect(first).toMatchObject({ user_id: id, plan: 'standard', status: 'past_due', cancel_at_period_end: true });

    const second = await set('advanced');
    expect(second).toMatchObject({ id: first.id, plan: 'advanced', status: 'active', cancel_at_period_end: false });
    const length = Date.parse(second.current_period_end ?? '') - Date.parse(second.current_period_start ?? '');
    expect(length).toBe(30 * dayMs);
    expect((await admin.json(['user', 'show', 'ada@example.com'])).subscription).toEqual(second);
  });

  it.each([
    ['2020-01-31', '2020-01-31T00:00:00.000Z', 'expired'],
    ['2020-01-31T12:30:00Z', '2020-01-31T12:30:00.000Z', 'expired'],
    ['2094-01-31T12:30:00.5+02:00', '2094-01-31T10:30:00.500Z', 'active'],
    ['2094-01-31T12:30', '2094-01-31T12:30:00.000Z', 'active'],
  ])('ends its period at %s, past or future', async (time, periodEnd, status) => {
    const admin = createAdmin();
    await admin.createUser('ada@example.com');
    const words = ['subscription', 'set', 'ada@example.com', '--plan', 'standard', '--period-end', time];
    expect(await admin.json(words)).toMatchObject({ current_period_end: periodEnd, status });
  });

  it('rejects a plan that does not exist', async () => {
    const admin = createAdmin();
    await admin.createUser('ada@example.com');
    const words = ['subscription', 'set', 'ada@example.com', '--plan', 'platinum'];
    expect(await admin.failure(words)).toEqual({ error: expect.stringContaining('platinum'), code: 'NOT_FOUND' });
  });
});
