/** The grace period is measured by the server's time, whatever this machine's clock says. */
import { describe, expect, it } from 'vitest';
import type { BootTime } from '../../../electron/licensing/platform.ts';
import { type TimeReading, TrustedTime } from '../../../electron/licensing/trusted-time.ts';
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
    expect(client.getState()).toMatchObject({ license: { kind: 'offline' }, clock: 'ahead' });
    await platform.clock.advance(minuteMs);
    await sync();
    expect(client.getState()).toMatchObject({ license: { kind: 'offline' }, clock: 'ahead' });
    platform.clock.setWall(trueMs());
    expect(client.getState()).toMatchObject({ license: { kind: 'offline' }, clock: 'in-sync' });
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

const hourMs = 3_600_000;
const toleranceMs = 5 * minuteMs;
const startMs = Date.parse('2026-03-03T09:00:00.000Z');

/** The three clocks of a machine, each of which can be set. */
class Clocks {
  wallMs = startMs;
  monotonicMs = 1000;
  boot: BootTime | null = { id: 'boot-1', ms: 50_000 };

  readonly clock = {
    now: () => this.wallMs,
    monotonic: () => this.monotonicMs,
    sinceBoot: () => this.boot && { ...this.boot },
    setTimer: () => () => {},
  };

  run(ms: number): void {
    this.monotonicMs += ms;
    this.sleep(ms);
  }

  sleep(ms: number): void {
    this.wallMs += ms;
    if (this.boot) this.boot = { ...this.boot, ms: this.boot.ms + ms };
  }

  /** Turns the machine off for `offMs`; it has been up for a second afterwards. */
  reboot(offMs: number, id: string | null = 'boot-2'): void {
    this.wallMs += offMs;
    this.boot = { id, ms: 1000 };
  }

  start(reading: TimeReading | null = null): TrustedTime {
    const time = new TrustedTime(this);
    time.restore(reading);
    return time;
  }
}

const readingOf = (more: Partial<TimeReading> = {}): TimeReading => ({
  trustedMs: startMs,
  wallMs: startMs,
  fromServer: true,
  boot: { id: 'boot-1', ms: 50_000 },
  gap: null,
  signedMs: null,
  aheadMs: null,
  ...more,
});

describe('trusted time before the server has answered', () => {
  it('is the wall time at the start of the app plus the measured time, whatever the clock is set to', () => {
    const clocks = new Clocks();
    const time = clocks.start();
    expect(time.reading()).toEqual(readingOf({ fromServer: false }));
    clocks.run(hourMs);
    expect(time.nowMs()).toBe(startMs + hourMs);
    for (const byMs of [400 * dayMs, -800 * dayMs]) {
      clocks.wallMs += byMs;
      expect(time.nowMs()).toBe(startMs + hourMs);
      expect(time.measuredMs()).toBe(startMs + hourMs);
      // Which of the two clocks is wrong is unknown.
      expect(time).toMatchObject({ isClockAhead: false, isClockBehind: false, isUnknown: false, signedMs: null });
    }
  });

  it('includes sleep if the system reports its uptime, and never goes back when it no longer does', () => {
    const clocks = new Clocks();
    const time = clocks.start();
    clocks.sleep(hourMs);
    expect(time.nowMs()).toBe(startMs + hourMs);
    clocks.boot = null;
    expect(time.nowMs()).toBe(startMs + hourMs);
    clocks.run(hourMs / 2);
    expect(time.nowMs()).toBe(startMs + hourMs);
    clocks.run(hourMs);
    expect(time.nowMs()).toBe(startMs + 1.5 * hourMs);
  });

  it('includes only the time the app ran if the system reports its uptime too late', () => {
    const clocks = new Clocks();
    clocks.boot = null;
    const time = clocks.start();
    clocks.sleep(hourMs);
    expect(time.nowMs()).toBe(startMs);
    clocks.boot = { id: 'boot-1', ms: 10 * dayMs };
    clocks.run(minuteMs);
    expect(time.nowMs()).toBe(startMs + minuteMs);
  });
});

describe('a server time', () => {
  it.each([-30 * dayMs, -1, 0, 1, 30 * dayMs])(
    'that is %i ms from this clock is adopted, and advanced by the measured time',
    (byMs) => {
      const clocks = new Clocks();
      const time = clocks.start();
      clocks.run(minuteMs);
      time.confirm(startMs + byMs);
      clocks.run(hourMs);
      clocks.wallMs += 90 * dayMs;
      expect(time.nowMs()).toBe(startMs + byMs + hourMs);
      expect(time.reading()).toEqual(
        readingOf({ trustedMs: startMs + byMs + hourMs, wallMs: clocks.wallMs, boot: clocks.boot }),
      );
    },
  );

  it.each([
    [toleranceMs + 1, 'ahead'],
    [toleranceMs, null],
    [0, null],
    [-toleranceMs, null],
    [-toleranceMs - 1, 'behind'],
  ])('marks a clock that is %i ms off as %s', (offMs, expected) => {
    const clocks = new Clocks();
    const time = clocks.start();
    time.confirm(startMs);
    clocks.wallMs += offMs;
    expect(time.isClockAhead).toBe(expected === 'ahead');
    expect(time.isClockBehind).toBe(expected === 'behind');
  });

  it('that is missing leaves the earlier of the clock and the measured time', () => {
    for (const [byMs, expectedMs] of [
      [-dayMs, startMs - dayMs],
      [dayMs, startMs],
    ] as const) {
      const clocks = new Clocks();
      const time = clocks.start();
      clocks.wallMs += byMs;
      time.confirm(null);
      expect(time.nowMs()).toBe(expectedMs);
      expect(time.reading().fromServer).toBe(false);
    }
  });

  it('that is missing does not revert one that was sent before', () => {
    const clocks = new Clocks();
    const time = clocks.start();
    time.confirm(startMs + dayMs);
    clocks.run(hourMs);
    for (const wallMs of [startMs - dayMs, startMs + 90 * dayMs]) {
      clocks.wallMs = wallMs;
      time.confirm(null);
      expect(time.nowMs()).toBe(startMs + dayMs + hourMs);
      expect(time.reading().fromServer).toBe(true);
    }
  });

  it('takes precedence over the stored time, but a missing one does not', () => {
    const clocks = new Clocks();
    const stored = readingOf({ trustedMs: startMs + dayMs });
    const sent = clocks.start();
    sent.confirm(startMs);
    sent.confirm(null);
    sent.restore(stored);
    expect(sent.nowMs()).toBe(startMs);
    const missing = clocks.start();
    missing.confirm(null);
    missing.restore(stored);
    expect(missing.nowMs()).toBe(startMs + dayMs);
  });

  it('of a previous run still counts as from the server when the next response has none', () => {
    const time = new Clocks().start(readingOf());
    time.confirm(null);
    expect(time.reading().fromServer).toBe(true);
  });
});

describe('a stored time', () => {
  it('runs on while the machine is on, whatever its clock was set to', () => {
    for (const byMs of [400 * dayMs, 0, -400 * dayMs]) {
      const clocks = new Clocks();
      clocks.sleep(hourMs);
      clocks.wallMs += byMs;
      const time = clocks.start(readingOf());
      expect(time.nowMs()).toBe(startMs + hourMs);
      expect(time.measuredMs()).toBe(startMs + hourMs);
      const { gap, wallMs } = time.reading();
      expect({ gap, wallMs }).toEqual({ gap: null, wallMs: clocks.wallMs });
      // This does not make a time count as signed that never was.
      expect(time.signedMs).toBeNull();
    }
  });

  it.each<[string, BootTime | null, BootTime | null, number]>([
    ['of the same start', { id: 'a', ms: 1000 }, { id: 'a', ms: 5000 }, 4000],
    ['of the same moment', { id: 'a', ms: 1000 }, { id: 'a', ms: 1000 }, 0],
    ['of another start', { id: 'a', ms: 1000 }, { id: 'b', ms: 5000 }, 5000],
    ['of another start, which was up for longer', { id: 'a', ms: 9000 }, { id: 'b', ms: 5000 }, 5000],
    ['of the same name that was up for longer', { id: 'a', ms: 9000 }, { id: 'a', ms: 5000 }, 5000],
    ['of a start without a name', { id: null, ms: 1000 }, { id: 'b', ms: 5000 }, 4000],
    ['where this start has no name', { id: 'a', ms: 1000 }, { id: null, ms: 5000 }, 4000],
    ['where no start has a name', { id: null, ms: 1000 }, { id: null, ms: 5000 }, 4000],
    ['of a start without a name that was up for longer', { id: null, ms: 9000 }, { id: null, ms: 5000 }, 5000],
    ['of which no start is known', null, { id: 'a', ms: 5000 }, 0],
    ['where this start is not known', { id: 'a', ms: 1000 }, null, 0],
    ['where none is known', null, null, 0],
  ])('%s has certainly advanced by the time the machine was up', (_, before, now, certainMs) => {
    const clocks = new Clocks();
    clocks.boot = now;
    const time = clocks.start(readingOf({ boot: before, signedMs: startMs - dayMs, aheadMs: startMs + 9 * dayMs }));
    expect(time.measuredMs()).toBe(startMs + certainMs);
    expect(time.signedMs).toBe(startMs - dayMs + certainMs);
    expect(time.reading().aheadMs).toBe(startMs + 9 * dayMs + certainMs);
    const isSameStart = before?.id === 'a' && now?.id === 'a';
    expect(time.reading().gap === null).toBe(isSameStart);
  });

  /** Offsets of the clock when the time was stored, and at the next boot ten days later. */
  it.each<[string, number, number, number]>([
    ['that was right and is', 0, 10 * dayMs, 10 * dayMs],
    ['that stays ahead', 90 * dayMs, 100 * dayMs, 10 * dayMs],
    ['that stays behind', -90 * dayMs, -80 * dayMs, 10 * dayMs],
    ['that was ahead and was corrected', 90 * dayMs, 10 * dayMs, 10 * dayMs],
    ['that was behind and was corrected', -90 * dayMs, 10 * dayMs, 10 * dayMs],
    ['that was set back to before', 0, -90 * dayMs, 1000],
    ['that was ahead and stands still', 90 * dayMs, 90 * dayMs, 1000],
    ['that was ahead and was set back to the stored time', 90 * dayMs, 0, 1000],
  ])('across a power-off follows a clock %s', (_, beforeMs, afterMs, passedMs) => {
    const clocks = new Clocks();
    const stored = readingOf({ wallMs: startMs + beforeMs });
    clocks.reboot(0);
    clocks.wallMs = startMs + afterMs;
    const time = clocks.start(stored);
    expect(time.nowMs()).toBe(startMs + passedMs);
    expect(time.measuredMs()).toBe(startMs + 1000);
    clocks.run(hourMs);
    expect(time.measuredMs()).toBe(startMs + 1000 + hourMs);
    // A time that stood still runs on by the measured time.
    expect(time.nowMs()).toBe(startMs + (passedMs === 1000 ? 1000 : passedMs) + hourMs);
  });

  it('across a power-off follows the clock only as long as the clock says so', () => {
    const clocks = new Clocks();
    clocks.reboot(400 * dayMs);
    const time = clocks.start(readingOf());
    expect(time.nowMs()).toBe(startMs + 400 * dayMs);
    clocks.wallMs -= 390 * dayMs;
    expect(time.nowMs()).toBe(startMs + 10 * dayMs);
    expect(time.reading()).toMatchObject({ trustedMs: startMs + 1000 });
  });

  it('across a power-off excludes exactly the amount by which the clock was set ahead since', () => {
    const clocks = new Clocks();
    clocks.reboot(10 * dayMs);
    const time = clocks.start(readingOf());
    clocks.wallMs += 30 * dayMs;
    expect(time.nowMs()).toBe(startMs + 10 * dayMs);
    expect(time.reading().gap).toEqual({ trustedMs: startMs, wallMs: startMs, jumpedMs: 30 * dayMs });
    clocks.run(hourMs);
    expect(time.nowMs()).toBe(startMs + 10 * dayMs + hourMs);
    // Set back by less than it was set ahead, and then by more.
    clocks.wallMs -= 20 * dayMs;
    expect(time.nowMs()).toBe(startMs + 10 * dayMs + hourMs);
    expect(time.reading().gap?.jumpedMs).toBe(10 * dayMs);
    clocks.wallMs -= 15 * dayMs;
    expect(time.nowMs()).toBe(startMs + 5 * dayMs + hourMs);
    expect(time.reading().gap?.jumpedMs).toBe(-5 * dayMs);
  });

  it('keeps an open gap across the next power-off, with the jumps of the clock in it', () => {
    const clocks = new Clocks();
    clocks.reboot(10 * dayMs);
    const first = clocks.start(readingOf());
    clocks.wallMs += 30 * dayMs;
    const stored = first.reading();
    clocks.reboot(dayMs, 'boot-3');
    const second = clocks.start(stored);
    expect(second.nowMs()).toBe(startMs + 11 * dayMs);
    expect(second.reading().gap).toEqual({ trustedMs: startMs, wallMs: startMs, jumpedMs: 30 * dayMs });
    expect(second.measuredMs()).toBe(startMs + 2000);
    clocks.wallMs -= 31 * dayMs;
    expect(second.nowMs()).toBe(startMs + 10 * dayMs);
  });

  it('excludes the amount by which the clock was set ahead while the app was closed and the machine on', () => {
    const clocks = new Clocks();
    clocks.reboot(10 * dayMs);
    const stored = clocks.start(readingOf()).reading();
    clocks.sleep(hourMs);
    clocks.wallMs += 30 * dayMs;
    const again = clocks.start(stored);
    expect(again.nowMs()).toBe(startMs + 10 * dayMs + hourMs);
    expect(again.reading().gap).toEqual({ trustedMs: startMs, wallMs: startMs, jumpedMs: 30 * dayMs });
  });

  it('begins a new gap when the clock no longer adds anything, so that a clock that was set back advances time again', () => {
    const clocks = new Clocks();
    clocks.reboot(-365 * dayMs);
    const stored = {
      ...readingOf(),
      boot: null,
      wallMs: clocks.wallMs,
      gap: { trustedMs: startMs, wallMs: startMs, jumpedMs: 0 },
    };
    clocks.reboot(7 * dayMs, 'boot-3');
    const time = clocks.start(stored);
    expect(time.nowMs()).toBe(startMs + 7 * dayMs);
    expect(time.reading().gap).toEqual({ trustedMs: startMs, wallMs: startMs - 365 * dayMs, jumpedMs: 0 });
  });
});

describe('a stored time that is based on the clock alone', () => {
  const aheadBy = (ms: number) => readingOf({ fromServer: false, trustedMs: startMs + ms, wallMs: startMs + ms });

  it.each([
    [toleranceMs, true, false],
    [toleranceMs + 1, true, true],
    [toleranceMs + 1, false, false],
  ])('and is %i ms ahead of the clock (based on the clock alone: %s) is distrusted: %s', (ms, byClock, isUnknown) => {
    const time = new Clocks().start({ ...aheadBy(ms), fromServer: !byClock });
    expect(time.isUnknown).toBe(isUnknown);
    expect(time.nowMs()).toBe(isUnknown ? startMs : startMs + ms);
  });

  it('is kept unchanged until the clock is right again, while the signed time runs on', () => {
    const clocks = new Clocks();
    const stored = { ...aheadBy(dayMs), signedMs: startMs - dayMs, boot: clocks.boot };
    const time = clocks.start(stored);
    clocks.run(hourMs);
    expect(time.reading()).toEqual({ ...stored, signedMs: startMs - dayMs + hourMs });
    expect(time.isUnknown).toBe(true);
    clocks.wallMs += dayMs;
    expect(time.isUnknown).toBe(false);
    expect(time.nowMs()).toBe(startMs + dayMs + hourMs);
  });

  it.each<[string, (time: TrustedTime) => void, number]>([
    ['the server answers without a time', (time) => time.confirm(null), startMs],
    ['the server sends its time', (time) => time.confirm(startMs + 7), startMs + 7],
    ['the server has signed an earlier time', (time) => time.notBefore(startMs - hourMs), startMs - hourMs],
    ['somebody brings an earlier time', (time) => time.correct(startMs - hourMs), startMs - hourMs],
    ['the server changes', (time) => time.forgetServer({ keepsSigned: true }), startMs],
  ])('is discarded when %s', (_, act, expectedMs) => {
    const time = new Clocks().start(aheadBy(dayMs));
    expect(time.isCorrectedBy(startMs - hourMs)).toBe(true);
    act(time);
    expect(time.isUnknown).toBe(false);
    expect(time.nowMs()).toBe(expectedMs);
  });
});

describe('a time that the server has signed', () => {
  it.each([
    [-hourMs, startMs, false],
    [0, startMs, false],
    [1, startMs + 1, true],
    [hourMs, startMs + hourMs, true],
  ])('that is %i ms from the trusted time only moves it forward', (byMs, expectedMs, isMoved) => {
    const clocks = new Clocks();
    const time = clocks.start();
    time.notBefore(startMs + byMs);
    expect(time.nowMs()).toBe(expectedMs);
    expect(time.signedMs).toBe(startMs + byMs);
    expect(time.reading().fromServer).toBe(isMoved);
    clocks.run(minuteMs);
    expect(time.signedMs).toBe(startMs + byMs + minuteMs);
    // An earlier signed time does not move it back.
    time.notBefore(startMs + byMs - hourMs);
    expect(time.signedMs).toBe(startMs + byMs + minuteMs);
  });

  it('cannot be undercut by a Date of the server, nor by an earlier imported time', () => {
    const clocks = new Clocks();
    const time = clocks.start();
    time.notBefore(startMs + hourMs);
    time.confirm(startMs - dayMs);
    expect(time.nowMs()).toBe(startMs + hourMs);
    time.correct(startMs);
    expect(time.nowMs()).toBe(startMs + hourMs);
  });

  it.each([
    [dayMs, false],
    [dayMs + 1, true],
  ])('%i ms ahead of the clock, or of a later signed time, is far ahead: %s', (ms, isAhead) => {
    const clocks = new Clocks();
    const time = clocks.start();
    expect(time.isAhead(startMs + ms)).toBe(isAhead);
    time.notBefore(startMs + hourMs);
    expect(time.isAhead(startMs + hourMs + ms)).toBe(isAhead);
    clocks.wallMs += 2 * hourMs;
    expect(time.isAhead(startMs + 2 * hourMs + ms)).toBe(isAhead);
    clocks.wallMs -= 90 * dayMs;
    expect(time.isAhead(startMs + hourMs + ms)).toBe(isAhead);
  });

  it('from far ahead is adopted for now, but is a floor only for leases issued after that', () => {
    const clocks = new Clocks();
    const time = clocks.start();
    time.notBefore(startMs);
    const aheadMs = startMs + 90 * dayMs;
    expect(time.floorMs(aheadMs)).toBe(0);
    time.notBefore(aheadMs);
    clocks.run(hourMs);
    expect(time.nowMs()).toBe(aheadMs + hourMs);
    expect(time.signedMs).toBe(startMs + hourMs);
    for (const [issuedMs, floorMs] of [
      [startMs, 0],
      [startMs + hourMs, 0],
      [startMs + hourMs + 1, aheadMs + hourMs],
      [aheadMs, aheadMs + hourMs],
    ] as const)
      expect(time.floorMs(issuedMs)).toBe(floorMs);
    // A time that is less far ahead does not lower the floor.
    time.notBefore(aheadMs - dayMs);
    expect(time.floorMs(aheadMs)).toBe(aheadMs + hourMs);
  });

  it('that is correct reverts one that was far ahead, but the floor of its leases remains', () => {
    for (const takeBack of ['notBefore', 'correct'] as const) {
      const clocks = new Clocks();
      const time = clocks.start();
      const aheadMs = startMs + 90 * dayMs;
      time.notBefore(aheadMs);
      expect(time.signedMs).toBeNull();
      clocks.run(hourMs);
      expect(time.isCorrectedBy(startMs + hourMs)).toBe(true);
      time[takeBack](startMs + hourMs);
      expect(time.nowMs()).toBe(startMs + hourMs);
      expect(time.signedMs).toBe(startMs + hourMs);
      expect(time.floorMs(aheadMs)).toBe(aheadMs + hourMs);
    }
  });

  it.each([
    [toleranceMs, startMs + hourMs],
    [toleranceMs + 1, startMs + 90 * dayMs + toleranceMs + 1],
    [-toleranceMs, startMs + hourMs],
    [-toleranceMs - 1, startMs + 90 * dayMs - toleranceMs - 1],
  ])('reverts it only if the trusted time is based on it: %i ms from it', (byMs, expectedMs) => {
    const time = new Clocks().start();
    time.notBefore(startMs + 90 * dayMs);
    time.confirm(startMs + 90 * dayMs + byMs);
    time.notBefore(startMs + hourMs);
    expect(time.nowMs()).toBe(expectedMs);
  });

  it('that is also far ahead does not revert it', () => {
    const time = new Clocks().start();
    time.notBefore(startMs + 90 * dayMs);
    time.notBefore(startMs + 80 * dayMs);
    expect(time.nowMs()).toBe(startMs + 90 * dayMs);
    expect(time.isCorrectedBy(startMs + 80 * dayMs)).toBe(false);
  });

  it('of a stored lease is a floor of its own if it is later than the known signed time', () => {
    const time = new Clocks().start();
    time.notBefore(startMs);
    time.recall(startMs);
    expect(time.reading().aheadMs).toBeNull();
    time.recall(startMs + 1);
    expect(time.floorMs(startMs + 1)).toBe(startMs + 1);
    time.recall(startMs + 90 * dayMs);
    time.recall(startMs + 80 * dayMs);
    expect(time.floorMs(startMs + 80 * dayMs)).toBe(startMs + 90 * dayMs);
    expect(time.nowMs()).toBe(startMs);
    const fresh = new Clocks().start();
    fresh.recall(startMs);
    expect(fresh.floorMs(startMs)).toBe(startMs);
    expect(fresh.signedMs).toBeNull();
  });
});

describe('a Date that comes with a lease', () => {
  it.each([
    [dayMs, startMs + dayMs],
    [dayMs + 1, startMs],
    [365 * dayMs, startMs],
  ])('%i ms ahead of it leaves the time at %i', (ms, expectedMs) => {
    const time = new Clocks().start();
    time.confirm(startMs + ms);
    time.checkDate(startMs + ms, startMs);
    expect(time.nowMs()).toBe(expectedMs);
  });

  it('from far ahead causes all later Dates to be ignored, and time is measured from the lease', () => {
    const clocks = new Clocks();
    const time = clocks.start();
    time.checkDate(startMs + 365 * dayMs, startMs);
    clocks.run(hourMs);
    time.confirm(startMs + 365 * dayMs);
    time.confirm(startMs - dayMs);
    time.confirm(null);
    expect(time.nowMs()).toBe(startMs + hourMs);
    expect(time.reading()).toMatchObject({ trustedMs: startMs + hourMs, fromServer: true });
  });

  it('is accepted again after a restart, and from another server', () => {
    const clocks = new Clocks();
    const time = clocks.start();
    time.checkDate(startMs + 365 * dayMs, startMs);
    const again = clocks.start(time.reading());
    again.confirm(startMs + hourMs);
    expect(again.nowMs()).toBe(startMs + hourMs);
    time.forgetServer({ keepsSigned: true });
    time.confirm(startMs + hourMs);
    expect(time.nowMs()).toBe(startMs + hourMs);
  });

  it('from far ahead does not revert a time that was signed before', () => {
    const time = new Clocks().start();
    time.notBefore(startMs + hourMs);
    time.checkDate(startMs + 365 * dayMs, startMs - dayMs);
    expect(time.nowMs()).toBe(startMs + hourMs);
  });
});

describe('the recorded time of a refusal', () => {
  it.each([
    ['the time', hourMs, 0, null, hourMs],
    ['the time, also of a clock that is ahead', hourMs, 400 * dayMs, null, hourMs],
    ['the time that is a day ahead of the clock', dayMs, 0, null, dayMs],
    ['the clock, where the time is further ahead', dayMs + 1, 0, null, 0],
    ['what was signed, where that is later', 365 * dayMs, -90 * dayMs, hourMs, hourMs],
    ['the time that is a day ahead of what was signed', dayMs + hourMs, -90 * dayMs, hourMs, dayMs + hourMs],
  ])('is %s', (_, dateInMs, clockInMs, signedInMs, expectedInMs) => {
    const clocks = new Clocks();
    const time = clocks.start();
    if (signedInMs !== null) time.notBefore(startMs + signedInMs);
    clocks.wallMs += clockInMs;
    time.confirm(startMs + dateInMs);
    expect(time.endMs).toBe(startMs + expectedInMs);
  });
});

describe('an imported time', () => {
  it.each([-90 * dayMs, -1, 0, 1, hourMs])('replaces a time from the clock alone: %i ms from it', (byMs) => {
    const time = new Clocks().start();
    expect(time.isCorrectedBy(startMs + byMs)).toBe(true);
    time.correct(startMs + byMs);
    expect(time.nowMs()).toBe(startMs + byMs);
    expect(time.signedMs).toBe(startMs + byMs);
    expect(time.reading().fromServer).toBe(true);
  });

  it.each([
    [-1, false],
    [0, false],
    [1, true],
  ])('%i ms from a server time replaces it: %s', (byMs, isHealed) => {
    const time = new Clocks().start();
    time.confirm(startMs);
    expect(time.isCorrectedBy(startMs + byMs)).toBe(isHealed);
    time.correct(startMs + byMs);
    expect(time.nowMs()).toBe(startMs + Math.max(0, byMs));
  });

  it('is advanced by the measured time, and closes the gap', () => {
    const clocks = new Clocks();
    clocks.reboot(400 * dayMs);
    const time = clocks.start(readingOf());
    time.correct(startMs + dayMs);
    clocks.run(hourMs);
    expect(time.nowMs()).toBe(startMs + dayMs + hourMs);
    expect(time.reading().gap).toBeNull();
  });
});

describe('a change of server', () => {
  it('leaves the clock alone, and keeps the signed time only if the keys are valid for every server', () => {
    for (const keepsSigned of [true, false]) {
      const clocks = new Clocks();
      const time = clocks.start();
      time.confirm(startMs + 10 * dayMs);
      time.notBefore(startMs - dayMs);
      time.recall(startMs + 50 * dayMs);
      time.forgetServer({ keepsSigned });
      expect(time.nowMs()).toBe(startMs);
      expect(time.reading()).toEqual(
        readingOf({
          fromServer: false,
          signedMs: keepsSigned ? startMs - dayMs : null,
          aheadMs: keepsSigned ? startMs + 50 * dayMs : null,
        }),
      );
      // Nothing was received from the new server yet.
      time.restore(readingOf({ trustedMs: startMs + dayMs }));
      expect(time.nowMs()).toBe(startMs + dayMs);
    }
  });
});
