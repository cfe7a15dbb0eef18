/** Commands that require a feature fail in the client itself while it is off. */
import { describe, expect, it } from 'vitest';
import { seededPlans } from '../../../shared/seeded-features.ts';
import { startActivated, startSignedIn, startTestClient } from './start-client.ts';

describe('the gate of features', () => {
  it('fails while nobody is signed in', async () => {
    const { client } = await startTestClient();
    expect(client.feature('csv_export')).toMatchObject({
      ok: false,
      failure: { code: 'FEATURE_OFF', feature: 'csv_export' },
    });
    expect(await client.historyCsv()).toMatchObject({ ok: false, failure: { code: 'FEATURE_OFF' } });
  });

  it('fails while this device is not activated, whatever the plan has', async () => {
    const { client, platform } = await startSignedIn();
    expect(await client.generateApiKey({ replace: false })).toMatchObject({
      ok: false,
      failure: { feature: 'api_access' },
    });
    expect(platform.http.to('/metrics/api-key')).toHaveLength(0);
  });

  it('fails for what the plan lacks', async () => {
    const { client, server } = await startActivated();
    server.features = seededPlans.free;
    await client.syncNow();
    expect(client.feature('real_time_visualization')).toEqual({ ok: true, value: true });
    expect(await client.historyCsv()).toMatchObject({ ok: false, failure: { feature: 'csv_export' } });
  });

  it('succeeds for what the plan has', async () => {
    const { client } = await startActivated();
    const csv = await client.historyCsv();
    expect(csv).toMatchObject({ ok: true, value: expect.stringContaining('Old Laptop') });
  });

  it('fails as soon as the grace period ends, before any notification', async () => {
    const { client, platform } = await startActivated();
    platform.http.cut({ fails: 'unreachable' });
    platform.clock.sleep(8 * 86_400_000);
    expect(client.feature('csv_export').ok).toBe(false);
  });
});
