/** The plans: seeded, added to and changed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Services } from '../../../server/services.ts';
import { seededPlans } from '../../../shared/api/features.ts';
import { servicesOf } from '../../harness/services-of.ts';
import { startTestApp, type TestApp } from '../../harness/start-app.ts';

let test: TestApp;
let plans: Services['plans'];

beforeAll(async () => {
  test = await startTestApp();
  plans = servicesOf(test).plans;
});
afterAll(() => test.close());

describe('the plans', () => {
  it('of a new server are those of the table, smallest first', async () => {
    const all = await plans.list();
    expect(all.map(({ name, features }) => [name, features])).toStrictEqual(Object.entries(seededPlans));
  });

  it('may be added to: a new one has one device and every feature off but for what is given', async () => {
    const plan = await plans.set('campus', { flags: { csv_export: true } });
    expect(plan).toMatchObject({ name: 'campus', max_devices: 1, features: { csv_export: true, api_access: false } });
    expect(await plans.find('campus')).toStrictEqual(plan);
  });

  it('may be changed: what is not given stays', async () => {
    const before = await plans.require('standard');
    const after = await plans.set('standard', { maxDevices: 4, flags: { custom_preprocessing: true } });
    expect(after).toMatchObject({ id: before.id, created_at: before.created_at, max_devices: 4 });
    expect(after.features).toStrictEqual({ ...before.features, custom_preprocessing: true, max_devices: 4 });
  });

  it.each([
    { name: '', change: {} },
    { name: 'Gold', change: {} },
    { name: 'a b', change: {} },
    { name: 'x'.repeat(51), change: {} },
    { name: 'free', change: { maxDevices: -1 } },
    { name: 'free', change: { maxDevices: 1.5 } },
    { name: 'free', change: { maxDevices: Number.NaN } },
  ])('are not set to nonsense: $name $change', async ({ name, change }) => {
    await expect(plans.set(name, change)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});
