/** The plans: seeded, added and changed. */
import { describe, expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { seededPlans } from '../../../shared/seeded-features.ts';
import { sharedApp } from '../../harness/start-app.ts';

const server = sharedApp();

describe('the plans', () => {
  it('of a new server are the documented ones, smallest first', async () => {
    const all = await server.services.plans.list();
    expect(all.map(({ name, features }) => [name, features])).toStrictEqual(Object.entries(seededPlans));
  });

  it('can be extended: a new one has one device and only the features that are given', async () => {
    const plan = await server.services.plans.set('campus', { features: { csv_export: true } }, byCommand);
    expect(plan).toMatchObject({ name: 'campus', max_devices: 1, features: { csv_export: true, api_access: false } });
    expect(await server.services.plans.find('campus')).toStrictEqual(plan);
  });

  it('can be changed: what is not given stays', async () => {
    const before = await server.services.plans.require('standard');
    const after = await server.services.plans.set(
      'standard',
      { max_devices: 4, features: { custom_preprocessing: true } },
      byCommand,
    );
    expect(after).toMatchObject({ id: before.id, created_at: before.created_at, max_devices: 4 });
    expect(after.features).toStrictEqual({ ...before.features, custom_preprocessing: true, max_devices: 4 });
  });

  it.each(['', 'Gold', 'a b', 'x'.repeat(51)])('cannot have the name "%s"', async (name) => {
    await expect(server.services.plans.set(name, {}, byCommand)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});
