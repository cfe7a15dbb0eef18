/** The first path of everybody: sign in, activate, see what works. */
import { describe, expect, it } from 'vitest';
import { licenseKey } from './scripted-server.ts';
import { startActivated, startSignedIn, startTestClient } from './start-client.ts';

describe('the first path', () => {
  it('starts signed out, with every feature off for that reason', async () => {
    const { client } = await startTestClient();
    const state = client.getState();
    expect(state.session).toEqual({ kind: 'signed-out', reason: null });
    expect(state.features.every((feature) => !feature.on && feature.reason.kind === 'signed-out')).toBe(true);
  });

  it('tells a wrong password by the code of the server', async () => {
    const { client } = await startTestClient();
    const done = await client.signIn({ email: 'ada@lab.org', password: 'wrong' });
    expect(done).toMatchObject({ ok: false, failure: { code: 'INVALID_CREDENTIALS' } });
    expect(client.getState().session.kind).toBe('signed-out');
  });

  it('signs in and shows the account, with this device not activated', async () => {
    const { client, on } = await startSignedIn();
    const state = client.getState();
    expect(state.session).toMatchObject({
      kind: 'signed-in',
      user: { email: 'ada@lab.org' },
      account: { hasSubscription: true },
    });
    expect(state.license).toEqual({ kind: 'not-activated' });
    expect(on()).toEqual([]);
    expect(state.heartbeat.lastAt).not.toBeNull();
    expect(state.server.deviceList).toBe('available');
  });

  it('activates and switches on what the plan has', async () => {
    const { client, on } = await startActivated();
    const state = client.getState();
    expect(state.license).toEqual({ kind: 'works', plan: 'standard', until: '2026-12-24T00:00:00.000Z' });
    expect(on()).toEqual([
      'real_time_visualization',
      'osc_lsl_streaming',
      'session_recording',
      'csv_export',
      'api_access',
      'signal_filtering',
    ]);
    expect(state.features.find(({ feature }) => feature === 'mental_state_detection')).toEqual({
      feature: 'mental_state_detection',
      on: false,
      reason: { kind: 'plan', plan: 'standard', availableOn: 'advanced' },
    });
    expect(state.thisDevice).toMatchObject({
      activated: true,
      license: { keyPreview: 'SVC-AB12...GH7X', activations: 2 },
    });
    expect(state.devices.value?.map((device) => device.isThisDevice)).toEqual([false, true]);
  });

  it('takes the key as a person types it', async () => {
    const { client } = await startSignedIn();
    const result = await client.activateLicense({ licenseKey: ` ${licenseKey.toLowerCase().replaceAll('-', ' ')} ` });
    expect(result).toMatchObject({ ok: true, value: { kind: 'activated', activations: 2, maxActivations: 3 } });
  });

  it('is still signed in and activated after a restart, before any answer has come', async () => {
    const testClient = await startActivated();
    testClient.platform.http.cut({ fails: 'unreachable' });
    const { client, on } = await testClient.restart();
    expect(client.getState().session).toMatchObject({ kind: 'signed-in', user: { email: 'ada@lab.org' } });
    expect(client.getState().license).toMatchObject({ kind: 'works', plan: 'standard' });
    expect(on()).toHaveLength(6);
  });
});
