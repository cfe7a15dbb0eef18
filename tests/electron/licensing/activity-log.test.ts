/** The activity list: stored per account, and limited in length. */
import { describe, expect, it } from 'vitest';
import { licenseDocumentName, startActivated } from './start-client.ts';

describe('the activity list', () => {
  it('is stored across a restart and belongs to its account', async () => {
    const testClient = await startActivated();
    await testClient.client.syncNow();
    const { client, platform } = await testClient.restart();
    expect(client.getState().activity.map(({ kind }) => kind)).toContain('device-activated');
    await platform.clock.advance(10_000);
    const ids = client.getState().activity.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    await client.signOut({ allDevices: false });
    testClient.server.user = { id: 'someone-else', email: 'eve@lab.org', full_name: 'Eve' };
    await client.signIn({ email: 'eve@lab.org', password: 'right' });
    await platform.clock.advance(10);
    expect(client.getState().activity.map(({ kind }) => kind)).not.toContain('device-activated');
  });

  it('also accepts the earlier name of a rejected license', async () => {
    const testClient = await startActivated();
    await testClient.client.syncNow();
    const name = licenseDocumentName(testClient.platform);
    const stored = JSON.parse(testClient.platform.secrets.values.get(name) ?? '{}');
    const rejected = { id: 1000, at: '2026-01-01T00:00:00Z', kind: 'license-refused', detail: 'LICENSE_EXPIRED' };
    stored.facts.activity = [rejected, ...stored.facts.activity];
    testClient.platform.secrets.values.set(name, JSON.stringify(stored));
    const { client } = await testClient.restart();
    const entries = client.getState().activity;
    expect(entries).toContainEqual({ ...rejected, kind: 'license-rejected' });
    expect(entries.map(({ kind }) => kind)).toContain('device-activated');
  });

  it('is limited, and heartbeats do not displace the user’s actions', async () => {
    const { client, platform } = await startActivated();
    client.setForeground(true);
    await platform.clock.advance(10 * 3_600_000);
    const kinds = client.getState().activity.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'heartbeat')).toHaveLength(100);
    expect(kinds).toContain('device-activated');
    for (let index = 0; index < 300; index++) client.recordHistoryExport(`${index}.csv`);
    expect(client.getState().activity).toHaveLength(200);
    expect(client.getState().activity[0]).toMatchObject({ kind: 'history-exported', detail: '299.csv' });
  });
});
