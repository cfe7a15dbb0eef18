/** The grace period is measured by the server's time, whatever this machine's clock says. */
import { describe, expect, it } from 'vitest';
import { createFakePlatform, type FakePlatform } from '../fake-platform.ts';
import { licenseKey, ScriptedServer } from './scripted-server.ts';
import { licenseDocumentName, startTestClient, type TestClient } from './start-client.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;

type Options = { readonly source: 'date' | 'heartbeat' | 'none'; readonly aheadMs: number };

/** Activates this device while its clock is ahead; `trueMs` is the actual time. */
async function startWithWrongClock({ source, aheadMs }: Options) {
  const platform = createFakePlatform();
  const { clock, http } = platform;
  const server = new ScriptedServer(platform);
  const startMs = clock.now();
  const startMonotonicMs = clock.monotonic();
  const trueMs = () => startMs + clock.monotonic() - startMonotonicMs;
  if (source === 'date') http.sendDate(trueMs);
  if (source !== 'heartbeat') http.on('POST /heartbeat', { status: 404, json: { error: 'No.', code: 'NOT_FOUND' } });
  else http.on('POST /heartbeat', () => ({ json: { success: true, timestamp: new Date(trueMs()).toISOString() } }));
  clock.setWall(startMs + aheadMs);
  const testClient = await startTestClient(platform, server);
  await testClient.client.signIn({ email: 'ada@lab.org', password: 'correct horse battery' });
  await clock.advance(10);
  await testClient.client.activateLicense({ licenseKey });
  await testClient.sync();
  return { testClient, trueMs };
}

function goOffline({ http }: FakePlatform): void {
  http.cut({ fails: 'unreachable' });
}

/** Starts the app at the given wall time, after the machine was off. */
function startAt({ restart }: TestClient, wallMs: number): Promise<TestClient> {
  return restart(({ clock }) => {
    clock.reboot();
    clock.setWall(wallMs);
  });
}

/** Starts the app again at the given wall time, while the machine stays on. */
function startAgain({ restart }: TestClient, wallMs: number): Promise<TestClient> {
  return restart(({ clock }) => clock.setWall(wallMs));
}

const stateOf = ({ client }: TestClient) => client.getState().license.kind;

describe('a response received while the clock is 60 days ahead', () => {
  const aheadMs = 60 * dayMs;
  it.each(['date', 'heartbeat'] as const)('entitles for 7 days if the clock stays ahead (%s)', async (source) => {
    const { testClient } = await startWithWrongClock({ source, aheadMs });
    goOffline(testClient.platform);
    await testClient.platform.clock.advance(6.9 * dayMs);
    expect(stateOf(testClient)).toBe('offline');
    await testClient.platform.clock.advance(0.2 * dayMs);
    expect(stateOf(testClient)).toBe('offline-ended');
  });

  it.each(['date', 'heartbeat'] as const)('entitles for 7 days if the clock is set back (%s)', async (source) => {
    const { testClient, trueMs } = await startWithWrongClock({ source, aheadMs });
    goOffline(testClient.platform);
    testClient.platform.clock.setWall(trueMs());
    await testClient.platform.clock.advance(6.9 * dayMs);
    expect(stateOf(testClient)).toBe('offline');
    await testClient.platform.clock.advance(0.2 * dayMs);
    expect(stateOf(testClient)).toBe('offline-ended');
  });

  it.each([
    ['stays so', aheadMs],
    ['is set back', 0],
  ])('entitles for 7 days if the clock %s and the app starts again', async (_, laterAheadMs) => {
    const { testClient, trueMs } = await startWithWrongClock({ source: 'date', aheadMs });
    goOffline(testClient.platform);
    const checkedMs = trueMs();
    const onDay6 = await startAt(testClient, checkedMs + 6.9 * dayMs + laterAheadMs);
    expect(stateOf(onDay6)).not.toBe('offline-ended');
    const onDay8 = await startAt(onDay6, checkedMs + 7.1 * dayMs + laterAheadMs);
    expect(stateOf(onDay8)).toBe('offline-ended');
  });

  it('shows the end of the grace period by the server’s time, and that the clock is ahead', async () => {
    const { testClient, trueMs } = await startWithWrongClock({ source: 'date', aheadMs });
    const { client, platform } = testClient;
    expect(client.getState().clock).toBe('ahead');
    goOffline(platform);
    await testClient.sync();
    const { license } = client.getState();
    const worksUntilMs = license.kind === 'offline' ? Date.parse(license.worksUntil) : 0;
    expect(Math.abs(worksUntilMs - (trueMs() + 7 * dayMs))).toBeLessThan(minuteMs);
    platform.clock.setWall(trueMs());
    expect(client.getState().clock).toBe('in-sync');
  });

  it('is not trusted after a restart if the server sent no time and the clock was set back', async () => {
    const { testClient, trueMs } = await startWithWrongClock({ source: 'none', aheadMs });
    goOffline(testClient.platform);
    const again = await startAt(testClient, trueMs());
    expect(stateOf(again)).toBe('offline-ended');
    expect(again.client.getState().clock).toBe('contradictory');
    await again.sync();
    const onceMore = await startAt(again, trueMs() + 30 * dayMs);
    expect(stateOf(onceMore)).toBe('offline-ended');
    onceMore.platform.http.cut(null);
    await onceMore.sync();
    expect(stateOf(onceMore)).toBe('works');
    expect(onceMore.client.getState().clock).toBe('in-sync');
  });
});

describe('the Date of a cached response', () => {
  it('is ignored', async () => {
    const { testClient, trueMs } = await startWithWrongClock({ source: 'date', aheadMs: 0 });
    const { client, platform } = testClient;
    const date = new Date(trueMs() - 60 * dayMs).toUTCString();
    platform.http.on('GET /binary-hash', {
      headers: { date, age: '5184000' },
      json: { version: '1.0.0', hashes: {}, updated_at: '2026-03-03T09:00:00.000Z' },
    });
    await client.verifyInstaller({ path: '/any' });
    expect(client.getState().clock).toBe('in-sync');
    expect(stateOf(testClient)).toBe('works');
  });
});

describe('a clock that was behind', () => {
  it('entitles for 7 days, whether it stays behind or is corrected', async () => {
    for (const laterAheadMs of [-60 * dayMs, 0]) {
      const { testClient, trueMs } = await startWithWrongClock({ source: 'date', aheadMs: -60 * dayMs });
      goOffline(testClient.platform);
      const checkedMs = trueMs();
      const onDay6 = await startAt(testClient, checkedMs + 6.9 * dayMs + laterAheadMs);
      expect(stateOf(onDay6)).not.toBe('offline-ended');
      const onDay8 = await startAt(onDay6, checkedMs + 7.1 * dayMs + laterAheadMs);
      expect(stateOf(onDay8)).toBe('offline-ended');
    }
  });
});

describe('a clock that is set back offline', () => {
  it('stops the grace period only until the next start, after which it runs on', async () => {
    const { testClient, trueMs } = await startWithWrongClock({ source: 'date', aheadMs: 0 });
    goOffline(testClient.platform);
    const checkedMs = trueMs();
    const setBack = await startAt(testClient, checkedMs - 365 * dayMs);
    await setBack.platform.clock.advance(minuteMs);
    const later = await startAt(setBack, checkedMs - 365 * dayMs + 7.1 * dayMs);
    expect(stateOf(later)).toBe('offline-ended');
  });

  it('does not stop time while the machine is on, whether the app runs or not', async () => {
    const { testClient, trueMs } = await startWithWrongClock({ source: 'date', aheadMs: 0 });
    goOffline(testClient.platform);
    const checkedMs = trueMs();
    const later = await testClient.restart(({ clock }) => {
      clock.reboot();
      clock.sleep(7.1 * dayMs);
      clock.setWall(checkedMs - 365 * dayMs);
    });
    expect(stateOf(later)).toBe('offline-ended');
  });
});

describe('a clock that is temporarily 400 days ahead', () => {
  const farMs = 400 * dayMs;

  async function startOffline() {
    const started = await startWithWrongClock({ source: 'date', aheadMs: 0 });
    goOffline(started.testClient.platform);
    await started.testClient.sync();
    return started;
  }

  it('has no effect offline, is shown as ahead, and leaves no trace once it is right', async () => {
    const { testClient, trueMs } = await startOffline();
    const { client, platform, sync } = testClient;
    platform.clock.setWall(trueMs() + farMs);
    const ahead = { clock: 'ahead', clockAheadMs: farMs };
    expect(client.getState()).toMatchObject({ license: { kind: 'offline' }, ...ahead });
    await platform.clock.advance(minuteMs);
    await sync();
    expect(client.getState()).toMatchObject({ license: { kind: 'offline' }, clock: 'ahead' });
    platform.clock.setWall(trueMs());
    expect(client.getState()).toMatchObject({ license: { kind: 'offline' }, clock: 'in-sync', clockAheadMs: 0 });
    const again = await testClient.restart();
    await again.sync();
    expect(again.client.getState()).toMatchObject({ license: { kind: 'offline' }, clock: 'in-sync' });
  });

  it('has no effect if only the app is restarted, because the machine reports its uptime', async () => {
    const { testClient, trueMs } = await startOffline();
    const again = await startAgain(testClient, trueMs() + farMs);
    await again.sync();
    expect(again.client.getState()).toMatchObject({ license: { kind: 'offline' }, clock: 'ahead' });
  });

  it('at boot is given as the reason, and everything works again once the clock is right', async () => {
    const { testClient, trueMs } = await startOffline();
    const ahead = await startAt(testClient, trueMs() + farMs);
    await ahead.sync();
    await ahead.platform.clock.advance(minuteMs);
    expect(ahead.client.getState()).toMatchObject({ license: { kind: 'offline-ended' }, clock: 'maybe-ahead' });
    const stillAhead = await startAt(ahead, trueMs() + farMs);
    await stillAhead.sync();
    expect(stillAhead.client.getState()).toMatchObject({ license: { kind: 'offline-ended' }, clock: 'maybe-ahead' });
    stillAhead.platform.clock.setWall(trueMs());
    expect(stillAhead.client.getState()).toMatchObject({ license: { kind: 'offline' }, clock: 'in-sync' });
    const right = await startAt(stillAhead, trueMs());
    await right.sync();
    expect(right.client.getState()).toMatchObject({ license: { kind: 'offline' }, clock: 'in-sync' });
    const later = await startAt(right, trueMs() + 7.1 * dayMs);
    expect(stateOf(later)).toBe('offline-ended');
  });

  it('has no effect either if the machine was booted with its clock right before', async () => {
    const { testClient, trueMs } = await startOffline();
    const started = await startAt(testClient, trueMs() + dayMs);
    await started.sync();
    started.platform.clock.setWall(trueMs() + farMs);
    expect(started.client.getState()).toMatchObject({ license: { kind: 'offline' }, clock: 'ahead' });
  });

  it('never shows offline while the server responds, and keeps every feature', async () => {
    const { testClient, trueMs } = await startWithWrongClock({ source: 'date', aheadMs: 0 });
    const { client, platform, on } = testClient;
    const before = on();
    const shown: string[] = [];
    client.subscribe(({ license }) => void shown.push(license.kind));
    platform.clock.setWall(trueMs() + farMs);
    expect(client.getState()).toMatchObject({ license: { kind: 'works' }, clock: 'ahead' });
    expect(on()).toEqual(before);
    await testClient.sync();
    await platform.clock.advance(5 * minuteMs);
    expect(client.getState()).toMatchObject({ license: { kind: 'works' }, clock: 'ahead' });
    expect(on()).toEqual(before);
    expect(new Set(shown)).toEqual(new Set(['works']));
  });
});

describe('the time stored by an earlier version', () => {
  it('is not trusted if the wall clock is behind it', async () => {
    const { testClient, trueMs } = await startWithWrongClock({ source: 'date', aheadMs: 0 });
    const { values } = testClient.platform.secrets;
    const name = licenseDocumentName(testClient.platform);
    const { binding, facts } = JSON.parse(values.get(name) ?? '{}');
    const { time: _, pendingApiKey: __, validation, ...rest } = facts;
    const at = new Date(trueMs() + 60 * dayMs).toISOString();
    const version2 = { ...rest, validation: { ...validation, at }, highestWallMs: trueMs() + 60 * dayMs };
    goOffline(testClient.platform);
    values.delete(name);
    values.set('license', JSON.stringify({ version: 2, binding, facts: version2 }));
    const again = await startAt(testClient, trueMs() + dayMs);
    expect(stateOf(again)).toBe('offline-ended');
    expect(again.client.getState().clock).toBe('contradictory');
  });
});

describe('a server time after the year 9999', () => {
  it.each([
    'Sat, 01 Jan 10000 00:00:00 GMT',
    // The year 9999 ends while the app runs.
    'Fri, 31 Dec 9999 23:59:59 GMT',
  ])('leaves the stored data readable at the next start (%s)', async (date) => {
    const { testClient } = await startWithWrongClock({ source: 'none', aheadMs: 0 });
    const { http, clock } = testClient.platform;
    http.sendDate(() => Date.parse(date));
    await testClient.sync();
    http.sendDate(() => Number.NaN);
    await clock.advance(2 * minuteMs);
    await testClient.client.activateLicense({ licenseKey });
    const { client } = await testClient.restart();
    expect(client.getState().thisDevice).toMatchObject({ activated: true, license: { keyPreview: 'SVC-AB12...GH7X' } });
  });

  it('is rejected from a heartbeat too', async () => {
    const { testClient } = await startWithWrongClock({ source: 'heartbeat', aheadMs: 0 });
    const timestamp = '9999-12-31T23:59:59.000-23:59';
    testClient.platform.http.on('POST /heartbeat', { json: { success: true, timestamp } });
    await testClient.sync();
    const { client } = await testClient.restart();
    expect(client.getState()).toMatchObject({ clock: 'in-sync', license: { kind: 'works' } });
  });
});
