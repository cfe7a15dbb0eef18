/** Gated acts are refused by the client itself, and the API key is handled as the secret that it is. */
import { describe, expect, it } from 'vitest';
import { seededPlans } from '../../../shared/api/features.ts';
import { newKey } from './scripted-server.ts';
import { startActivated, startSignedIn, startTestClient } from './start-client.ts';

describe('the gate of features', () => {
  it('refuses while nobody is signed in', async () => {
    const { client } = await startTestClient();
    expect(client.feature('csv_export')).toMatchObject({
      ok: false,
      failure: { code: 'FEATURE_OFF', feature: 'csv_export' },
    });
    expect(await client.historyCsv()).toMatchObject({ ok: false, failure: { code: 'FEATURE_OFF' } });
  });

  it('refuses while this device is not activated, whatever the plan has', async () => {
    const { client, platform } = await startSignedIn();
    expect(await client.generateApiKey({ replace: false })).toMatchObject({
      ok: false,
      failure: { feature: 'api_access' },
    });
    expect(platform.http.to('/metrics/api-key')).toHaveLength(0);
  });

  it('refuses what the plan lacks', async () => {
    const { client, server } = await startActivated();
    server.features = seededPlans.free;
    await client.syncNow();
    expect(client.feature('real_time_visualization')).toEqual({ ok: true, value: true });
    expect(await client.historyCsv()).toMatchObject({ ok: false, failure: { feature: 'csv_export' } });
  });

  it('opens for what the plan has', async () => {
    const { client } = await startActivated();
    const csv = await client.historyCsv();
    expect(csv).toMatchObject({ ok: true, value: expect.stringContaining('Old Laptop') });
  });

  it('closes at the very moment when the grace ends, though nothing was published', async () => {
    const { client, platform } = await startActivated();
    platform.http.cut({ fails: 'unreachable' });
    platform.clock.setWall(platform.clock.now() + 8 * 86_400_000);
    expect(client.feature('csv_export').ok).toBe(false);
  });
});

describe('the API key', () => {
  it('is there until it is saved, and then only as its prefix', async () => {
    const { client } = await startActivated();
    expect(await client.generateApiKey({ replace: true })).toEqual({
      ok: true,
      value: { kind: 'generated', apiKey: newKey },
    });
    expect(client.unsavedApiKey()).toBe(newKey);
    expect(client.getState().apiKey).toMatchObject({ prefix: 'svc_live_AbCd', unsaved: true });
    await client.confirmApiKeySaved();
    expect(client.unsavedApiKey()).toBeNull();
    expect(client.getState().apiKey).toMatchObject({ prefix: 'svc_live_AbCd', unsaved: false });
  });

  it('that exists is found by its prefix, and known after a restart', async () => {
    const testClient = await startActivated();
    const found = await testClient.client.generateApiKey({ replace: false });
    expect(found).toEqual({ ok: true, value: { kind: 'existing', prefix: 'svc_live_AbCd' } });
    const { client } = await testClient.restart();
    expect(client.getState().apiKey).toMatchObject({ prefix: 'svc_live_AbCd', isLegacy: false });
  });

  it('is never generated twice by a repetition', async () => {
    const { client, platform } = await startActivated();
    platform.http.on('POST /metrics/api-key', { fails: 'timeout' });
    await client.generateApiKey({ replace: true });
    expect(platform.http.to('/metrics/api-key')).toHaveLength(1);
  });

  it('that waits to be saved is forgotten at sign-out', async () => {
    const { client } = await startActivated();
    await client.generateApiKey({ replace: true });
    await client.signOut({ allDevices: false });
    expect(client.unsavedApiKey()).toBeNull();
  });
});

describe('a warning of the server', () => {
  it('is shown, noted, can be dismissed, and ends by itself', async () => {
    const { client, server } = await startActivated();
    server.warning = 'The device was seen under another account.';
    await client.syncNow();
    const [warning] = client.getState().warnings;
    expect(warning).toMatchObject({ text: server.warning });
    expect(client.getState().activity.map(({ kind }) => kind)).toContain('heartbeat-warning');
    await client.dismissWarning({ id: warning?.id ?? '' });
    await client.syncNow();
    expect(client.getState().warnings).toEqual([]);
    server.warning = null;
    await client.syncNow();
    server.warning = 'The device was seen under another account.';
    await client.syncNow();
    expect(client.getState().warnings).toHaveLength(1);
  });
});

describe('the list of what happened', () => {
  it('is there again after a restart, and belongs to its account', async () => {
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

  it('is bounded, and heartbeats do not push out what a person did', async () => {
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
