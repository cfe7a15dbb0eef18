/**
 * What a heartbeat reports about this start of the app, by which the server detects copies of a machine or profile, and
 * what follows from the answers.
 */
import { describe, expect, it } from 'vitest';
import { ActivityLog } from '../../../electron/licensing/activity-log.ts';
import type { ApiResult } from '../../../electron/licensing/api-response.ts';
import { Heartbeat } from '../../../electron/licensing/heartbeat.ts';
import { TrustedTime } from '../../../electron/licensing/trusted-time.ts';
import type { HeartbeatResponse } from '../../../shared/api/heartbeat.ts';
import { createFakePlatform } from '../fake-platform.ts';
import { startActivated, type TestClient } from './start-client.ts';

const sent = ({ platform }: Pick<TestClient, 'platform'>) =>
  platform.http.to('/heartbeat').map(({ body }) => JSON.parse(body ?? ''));
const lastInstance = (test: TestClient): string => sent(test).at(-1)?.instance;

describe('the instance in a heartbeat', () => {
  it('stays the same while the app runs, and is not the device id', async () => {
    const test = await startActivated();
    await test.sync();
    await test.sync();
    const instances = new Set(sent(test).map(({ instance }) => instance));
    expect(instances.size).toBe(1);
    expect(lastInstance(test)).toMatch(/^[\w-]{36}$/);
    expect(lastInstance(test)).not.toContain(test.client.getState().thisDevice?.deviceId);
  });

  it('changes with every start, so that a copy of the profile has its own, and is never reused', async () => {
    const test = await startActivated();
    await test.sync();
    const first = lastInstance(test);
    let uuids = 0;
    const random = { ...createFakePlatform().random, uuid: () => `second-start-${++uuids}` };
    const again = await test.restart((platform) => void Object.assign(platform, { random }));
    await again.sync();
    expect(lastInstance(again)).toMatch(/^second-start-/);
    const stored = JSON.stringify([again.platform.plain.writes, again.platform.secrets.writes]);
    for (const instance of [first, lastInstance(again)]) expect(stored).not.toContain(instance);
  });

  it('changes with the next session, so that copies of a running machine differ once one has to sign in again', async () => {
    const test = await startActivated();
    await test.sync();
    const first = lastInstance(test);
    await test.client.signOut({ allDevices: false });
    await test.client.signIn({ email: 'ada@lab.org', password: 'correct horse battery' });
    await test.sync();
    expect(lastInstance(test)).not.toBe(first);
  });
});

const timestamp = '2026-03-04T00:00:00.000Z';
const failure = { code: 'INTERNAL_ERROR', message: 'No.', at: timestamp };

/** Starts a heartbeat that gets these answers, one after the other. */
function start(...answers: readonly (Partial<HeartbeatResponse> | ApiResult<HeartbeatResponse>)[]) {
  const { clock, random } = createFakePlatform();
  const activity = new ActivityLog({ clock });
  const trustedTime = new TrustedTime({ clock });
  const calls: unknown[][] = [];
  const given = answers.map((answer): ApiResult<HeartbeatResponse> => {
    const response = { success: true, timestamp, ...answer } as HeartbeatResponse;
    return 'kind' in answer ? answer : { kind: 'success', response, serverTimeMs: null };
  });
  const session = {
    user: { id: '01890000-0000-7000-8000-00000000000a', email: 'ada@lab.org', full_name: 'Ada' },
    call: async (...args: unknown[]) => {
      calls.push(args);
      return given[calls.length - 1];
    },
  };
  let notified = 0;
  const changes = { notify: () => void notified++ };
  const store = {
    facts: { dismissedWarnings: [] },
    update: async (change: object) => void Object.assign(store.facts, change),
  };
  const preferences = { language: 'de-AT' };
  const modules = { session, store, deviceIdentity: { id: 'HW-1' }, preferences };
  const deps = { ...modules, activity, clock, random, trustedTime, changes };
  const heartbeat = new Heartbeat(deps as never);
  const noted = () => activity.entries.map(({ kind, detail }) => [kind, detail]);
  return { heartbeat, clock, calls, trustedTime, preferences, noted, notified: () => notified };
}

describe('a heartbeat', () => {
  it('identifies the device and the start of the app, and asks for warnings in the language of the user', async () => {
    const { heartbeat, calls } = start({});
    await heartbeat.send();
    expect(calls).toEqual([
      ['heartbeat', { body: { device_id: 'HW-1', instance: expect.stringMatching(/^[\w-]{36}$/) }, language: 'de-AT' }],
    ]);
  });

  it('that succeeds is dated by this clock, recorded and reported', async () => {
    const { heartbeat, clock, noted, notified } = start({}, {});
    expect(heartbeat).toMatchObject({ lastAt: null, lastFailure: null, warnings: [] });
    expect(await heartbeat.send()).toMatchObject({ kind: 'success', response: { timestamp } });
    expect(heartbeat).toMatchObject({ lastAt: '2026-03-03T09:00:00.000Z', lastFailure: null, warnings: [] });
    await clock.advance(1500);
    await heartbeat.send();
    expect(heartbeat.lastAt).toBe('2026-03-03T09:00:01.500Z');
    expect(noted()).toEqual([
      ['heartbeat', null],
      ['heartbeat', null],
    ]);
    expect(notified()).toBe(2);
  });

  it.each(['error', 'unsupported', 'inconclusive'] as const)(
    'that fails (%s) is reported until the next one succeeds',
    async (kind) => {
      const { heartbeat, noted, notified } = start({}, { kind, failure }, {});
      await heartbeat.send();
      const { lastAt } = heartbeat;
      expect(await heartbeat.send()).toEqual({ kind, failure });
      expect(heartbeat).toMatchObject({ lastAt, lastFailure: failure });
      expect(noted()).toHaveLength(1);
      expect(notified()).toBe(2);
      await heartbeat.send();
      expect(heartbeat.lastFailure).toBeNull();
    },
  );

  it.each(['CANCELED', 'NOT_SIGNED_IN'])(
    'that fails with %s because the session has ended does not count as failed',
    async (code) => {
      const { heartbeat, notified } = start({ kind: 'inconclusive', failure: { ...failure, code } });
      await heartbeat.send();
      expect(heartbeat.lastFailure).toBeNull();
      expect(notified()).toBe(1);
    },
  );

  it('provides the server’s time if no Date header does', async () => {
    const undated = start({});
    await undated.heartbeat.send();
    expect(undated.trustedTime.nowMs()).toBe(Date.parse(timestamp));
    const response = { success: true, timestamp } as HeartbeatResponse;
    const dated = start({ kind: 'success', response, serverTimeMs: 7 });
    await dated.heartbeat.send();
    expect(dated.trustedTime.nowMs()).toBe(dated.clock.now());
  });
});

describe('a warning in a heartbeat', () => {
  const warned = { warning: 'Seen elsewhere.' };

  it('is shown and recorded once, for as long as the heartbeats carry it', async () => {
    const { heartbeat, noted } = start(warned, warned, {});
    await heartbeat.send();
    const shown = { text: 'Seen elsewhere.', since: '2026-03-03T09:00:00.000Z' };
    expect(heartbeat.warnings).toMatchObject([shown]);
    await heartbeat.send();
    expect(heartbeat.warnings).toMatchObject([shown]);
    expect(noted().filter(([kind]) => kind === 'heartbeat-warning')).toEqual([
      ['heartbeat-warning', 'Seen elsewhere.'],
    ]);
    await heartbeat.send();
    expect(heartbeat.warnings).toEqual([]);
  });

  it('is limited to 500 characters', async () => {
    const { heartbeat } = start({ warning: 'x'.repeat(501) });
    await heartbeat.send();
    expect(heartbeat.warnings[0]?.text).toBe('x'.repeat(500));
  });

  it('disappears immediately when dismissed, and does not return', async () => {
    const { heartbeat, notified } = start(warned, warned);
    await heartbeat.send();
    heartbeat.dismissWarning(heartbeat.warnings[0]?.id ?? '');
    expect(heartbeat.warnings).toEqual([]);
    expect(notified()).toBe(2);
    await heartbeat.send();
    expect(heartbeat.warnings).toEqual([]);
  });

  it('is the same one in another language if the user has changed it, and another one otherwise', async () => {
    const german = { warning: 'Anderswo verwendet.' };
    const { heartbeat, preferences, noted } = start(german, warned, { warning: 'Seen here.' });
    const recorded = () => noted().filter(([kind]) => kind === 'heartbeat-warning').length;
    await heartbeat.send();
    preferences.language = 'en';
    await heartbeat.send();
    expect(recorded()).toBe(1);
    expect(heartbeat.warnings).toMatchObject([{ text: 'Seen elsewhere.' }]);
    await heartbeat.send();
    expect(recorded()).toBe(2);
  });

  it('after a start is another one than the dismissed one, whose language is not known', async () => {
    const { heartbeat, noted } = start({ warning: 'Seen here.' }, warned);
    await heartbeat.send();
    heartbeat.dismissWarning(heartbeat.warnings[0]?.id ?? '');
    heartbeat.forget();
    await heartbeat.send();
    expect(heartbeat.warnings).toMatchObject([{ text: 'Seen elsewhere.' }]);
    expect(noted().filter(([kind]) => kind === 'heartbeat-warning')).toHaveLength(2);
  });

  it('is cleared by an activation, and is new if the next heartbeat carries it again', async () => {
    const { heartbeat, noted } = start(warned, warned);
    await heartbeat.send();
    heartbeat.clearWarnings();
    expect(heartbeat).toMatchObject({ warnings: [], lastAt: expect.any(String) });
    await heartbeat.send();
    expect(noted().filter(([kind]) => kind === 'heartbeat-warning')).toHaveLength(2);
  });

  it('of a heartbeat that was on its way during an activation is not shown, but that of the next one is', async () => {
    const { heartbeat, noted } = start(warned, warned);
    const sending = heartbeat.send();
    heartbeat.clearWarnings();
    await sending;
    expect(heartbeat).toMatchObject({ warnings: [], lastAt: expect.any(String) });
    expect(noted()).toEqual([['heartbeat', null]]);
    await heartbeat.send();
    expect(heartbeat.warnings).toMatchObject([{ text: 'Seen elsewhere.' }]);
  });

  it('is cleared with the session, together with everything else from it', async () => {
    const { heartbeat, calls } = start(warned, { kind: 'error', failure }, {});
    await heartbeat.send();
    await heartbeat.send();
    heartbeat.forget();
    expect(heartbeat).toMatchObject({ lastAt: null, lastFailure: null, warnings: [] });
    await heartbeat.send();
    const instances = calls.map(([, options]) => (options as { body: { instance: string } }).body.instance);
    expect(instances[0]).toBe(instances[1]);
    expect(instances[2]).not.toBe(instances[0]);
  });
});
