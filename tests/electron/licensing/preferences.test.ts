/** The stored preferences: each invalid part falls back to its default, and nothing unreadable is lost. */
import { describe, expect, it } from 'vitest';
import { startTestClient } from './start-client.ts';

describe('preferences', () => {
  it('are stored, and only an invalid one falls back to its default', async () => {
    const testClient = await startTestClient();
    await testClient.client.changeSettings({ theme: 'dark', heartbeatIntervalSeconds: 600 });
    const stored = JSON.parse(testClient.platform.plain.values.get('preferences') ?? '{}');
    stored.settings.heartbeatIntervalSeconds = 1;
    testClient.platform.plain.values.set('preferences', JSON.stringify(stored));
    const { client } = await testClient.restart();
    expect(client.getState().settings).toMatchObject({ theme: 'dark', heartbeatIntervalSeconds: 300 });
  });

  it.each(['{"version":99}', 'not JSON'])(
    'that cannot be understood are quarantined before a change: %s',
    async (text) => {
      const testClient = await startTestClient();
      testClient.platform.plain.values.set('preferences', text);
      const { client, platform } = await testClient.restart();
      expect(client.getState().settings.theme).toBe('system');
      expect(platform.plain.values.get('preferences')).toBe(text);
      expect(await client.changeSettings({ theme: 'dark' })).toEqual({ ok: true, value: null });
      expect(platform.plain.values.get('preferences-unreadable')).toBe(text);
      expect(platform.plain.values.get('preferences')).toContain('"dark"');
    },
  );

  it('are in effect although they cannot be stored, and the command says so', async () => {
    const { client, platform } = await startTestClient();
    platform.plain.setFailing(true);
    expect(await client.changeSettings({ theme: 'dark' })).toMatchObject({
      ok: false,
      failure: { code: 'STORE_UNAVAILABLE' },
    });
    expect(client.getState().settings.theme).toBe('dark');
  });
});
