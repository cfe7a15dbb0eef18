/** The API key is shown once and handled as a secret. */
import { describe, expect, it } from 'vitest';
import { newKey } from './scripted-server.ts';
import { startActivated } from './start-client.ts';

describe('the API key', () => {
  it('is available until it is saved, then only as its prefix', async () => {
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

  it('is never generated twice by a retry', async () => {
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
