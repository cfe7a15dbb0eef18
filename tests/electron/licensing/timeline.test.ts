/** What the timeline records of each event, how often it is stored, and what it keeps. */
import { describe, expect, it } from 'vitest';
import type { ApiResult } from '../../../electron/licensing/api-response.ts';
import { Timeline } from '../../../electron/licensing/timeline.ts';
import type { TimelineEntry } from '../../../shared/ipc/diagnostics.ts';
import { createFakePlatform, type FakePlatform, settle } from '../fake-platform.ts';

const hourMs = 3_600_000;
const at = '2026-03-03T09:00:00.000Z';
const beaten: ApiResult<unknown> = { kind: 'success', response: {}, serverTimeMs: null };
const failed = (kind: 'error' | 'inconclusive', code: string, requestId?: string): ApiResult<unknown> => ({
  kind,
  failure: { code, message: '', at, ...(requestId !== undefined && { requestId }) },
});

async function start(platform: FakePlatform = createFakePlatform()) {
  const timeline = new Timeline({ ...platform, version: '1.0.0' });
  await timeline.load();
  return { timeline, platform, clock: platform.clock };
}

const stored = ({ secrets }: FakePlatform) => JSON.parse(secrets.values.get('timeline') ?? 'null');
const kinds = (entries: readonly TimelineEntry[]) => entries.map(({ kind }) => kind);

describe('the timeline', () => {
  it('begins with the start, and ends with the stop, and is read at the next start', async () => {
    const { timeline, platform } = await start();
    timeline.addAnswer('heartbeat', beaten);
    expect(timeline.entries[0]).toEqual({
      kind: 'start',
      version: '1.0.0',
      boot: { id: 'boot-1', ms: 50_000 },
      at,
      monotonic_ms: 1000,
    });
    await timeline.stop();
    const next = await start(platform);
    expect(kinds(next.timeline.entries)).toEqual(['start', 'answer', 'stop', 'start']);
    expect(next.timeline.connection).toEqual([{ hour: at, answered: 1, failed: 0 }]);
  });

  it('records and stores nothing before it is loaded', async () => {
    const platform = createFakePlatform();
    const timeline = new Timeline({ ...platform, version: '1.0.0' });
    expect([timeline.entries, timeline.connection]).toEqual([[], []]);
    timeline.recordDecision({ kind: 'no-license' }, []);
    await timeline.stop();
    expect([timeline.entries, platform.secrets.writes]).toEqual([[], []]);
  });

  it.each([
    ['damaged', 1],
    [JSON.stringify({ version: 2, min_reader: 1, entries: [], connection: [] }), 1],
    [JSON.stringify({ version: 1, entries: [], connection: [] }), 0],
    [null, 0],
  ])('that was stored as %s is set aside once if it cannot be kept in full', async (text, kept) => {
    const secretValues = new Map(text === null ? [] : [['timeline', text] as const]);
    const { timeline, platform } = await start(createFakePlatform({ secretValues }));
    timeline.recordDecision({ kind: 'no-license' }, []);
    await settle();
    await timeline.stop();
    const aside = [...platform.secrets.values].filter(([name]) => name !== 'timeline');
    expect(aside.map(([, value]) => value)).toEqual(kept === 0 ? [] : [text]);
  });

  it('keeps the entries that it can read', async () => {
    const entry = { kind: 'stop', at, monotonic_ms: 5 };
    const text = JSON.stringify({ version: 1, entries: [entry, { kind: 'other' }], connection: [] });
    const { timeline } = await start(createFakePlatform({ secretValues: new Map([['timeline', text]]) }));
    expect(kinds(timeline.entries)).toEqual(['stop', 'start']);
  });

  it('that cannot be stored is logged', async () => {
    const { timeline, platform } = await start();
    platform.secrets.setFailing(true);
    await timeline.stop();
    expect(platform.logged).toEqual(['the timeline could not be stored {}']);
  });

  it('is stored with an answer once an hour has passed', async () => {
    const { timeline, platform, clock } = await start();
    await clock.advance(hourMs - 1);
    timeline.addAnswer('heartbeat', beaten);
    await settle();
    expect(platform.secrets.writes).toHaveLength(0);
    await clock.advance(1);
    timeline.addAnswer('heartbeat', beaten);
    await settle();
    expect(platform.secrets.writes).toHaveLength(1);
    timeline.addAnswer('heartbeat', beaten);
    await settle();
    expect(platform.secrets.writes).toHaveLength(1);
  });

  it('keeps the newest 1,000 entries, and of them half a megabyte', async () => {
    const { timeline, platform } = await start();
    for (let count = 0; count < 1100; count++) timeline.addCommand({ command: `c${count}`, outcome: 'done' });
    expect(timeline.entries).toHaveLength(1000);
    expect(timeline.entries.at(-1)).toMatchObject({ command: 'c1099' });
    const { timeline: large, platform: other } = await start();
    for (let count = 0; count < 9; count++) large.addCommand({ command: `${count}`.repeat(60_000), outcome: 'done' });
    await large.stop();
    const commands = stored(other).entries.filter(({ kind }: TimelineEntry) => kind === 'command');
    expect(commands.map(({ command }: { command: string }) => command[0]).join('')).toBe('12345678');
    expect(platform.secrets.writes).toHaveLength(0);
  });
});

describe('an answer', () => {
  it('is counted with those before it that are the same, and is another entry otherwise', async () => {
    const { timeline, clock } = await start();
    timeline.recordKnown(() => ({}) as never);
    timeline.addAnswer('heartbeat', beaten);
    await clock.advance(1000);
    timeline.addAnswer('about', failed('error', 'NOT_FOUND', 'r-1'));
    timeline.addAnswer('heartbeat', beaten);
    timeline.addAnswer('about', failed('error', 'NOT_FOUND', 'r-2'));
    const heartbeat = { kind: 'answer', endpoint: 'heartbeat', outcome: 'success', code: null, server_time: null };
    const later = { last_at: '2026-03-03T09:00:01.000Z', last_monotonic_ms: 2000 };
    const about = { kind: 'answer', endpoint: 'about', outcome: 'error', code: 'NOT_FOUND', server_time: null };
    expect(timeline.entries.slice(1)).toEqual([
      { ...heartbeat, times: 2, at, monotonic_ms: 1000, ...later, known: {} },
      { ...about, times: 2, at: later.last_at, monotonic_ms: 2000, ...later, request_id: 'r-2' },
    ]);
    timeline.addAnswer('about', failed('error', 'FORBIDDEN'));
    timeline.addAnswer('about', failed('inconclusive', 'FORBIDDEN'));
    timeline.addAnswer('about', { kind: 'success', response: { leases: true }, serverTimeMs: null });
    timeline.addAnswer('about', { kind: 'success', response: { leases: false }, serverTimeMs: null });
    expect(timeline.entries.slice(3)).toMatchObject([
      { outcome: 'error', code: 'FORBIDDEN', times: 1 },
      { outcome: 'inconclusive', code: 'FORBIDDEN', times: 1 },
      { outcome: 'success', said: { leases: true }, times: 1 },
      { outcome: 'success', said: { leases: false }, times: 1 },
    ]);
    expect(timeline.entries[3]).not.toHaveProperty('said');
    expect(timeline.entries[3]).not.toHaveProperty('request_id');
  });

  it('has the time of the server, if that sent it', async () => {
    const { timeline } = await start();
    timeline.addAnswer('heartbeat', { ...beaten, serverTimeMs: Date.parse('2026-03-03T08:59:00.000Z') } as never);
    expect(timeline.entries[1]).toMatchObject({ server_time: '2026-03-03T08:59:00.000Z' });
  });

  it('that was canceled is none', async () => {
    const { timeline } = await start();
    timeline.addAnswer('heartbeat', failed('inconclusive', 'CANCELED'));
    expect([timeline.entries.length, timeline.connection]).toEqual([1, []]);
  });

  it('after a restart is a new entry', async () => {
    const { timeline, platform } = await start();
    timeline.addAnswer('heartbeat', beaten);
    await timeline.stop();
    const next = await start(platform);
    next.timeline.addAnswer('heartbeat', beaten);
    expect(kinds(next.timeline.entries)).toEqual(['start', 'answer', 'stop', 'start', 'answer']);
  });

  it('is counted in its hour, of which the last week is kept', async () => {
    const { timeline, clock } = await start();
    timeline.addAnswer('heartbeat', beaten);
    timeline.addAnswer('heartbeat', failed('error', 'FORBIDDEN'));
    timeline.addAnswer('heartbeat', failed('inconclusive', 'SERVER_UNREACHABLE'));
    await clock.advance(hourMs);
    timeline.addAnswer('heartbeat', failed('inconclusive', 'SERVER_UNREACHABLE'));
    expect(timeline.connection).toEqual([
      { hour: at, answered: 2, failed: 1 },
      { hour: '2026-03-03T10:00:00.000Z', answered: 0, failed: 1 },
    ]);
    for (let hours = 0; hours < 168; hours++) {
      await clock.advance(hourMs);
      timeline.addAnswer('heartbeat', beaten);
    }
    expect(timeline.connection).toHaveLength(168);
    expect(timeline.connection[0]?.hour).toBe('2026-03-03T11:00:00.000Z');
  });
});

describe('a decision', () => {
  const works = { kind: 'works', plan: 'standard', until: null, worksUntil: '2026-03-10T09:00:00.000Z' } as const;

  it('is recorded and stored when it changes, not when only its end does', async () => {
    const { timeline, platform } = await start();
    timeline.recordDecision(works, ['csv_export']);
    timeline.recordDecision({ ...works, worksUntil: '2026-03-11T09:00:00.000Z' }, ['csv_export']);
    timeline.recordDecision(works, []);
    timeline.recordDecision({ ...works, kind: 'offline', since: at } as never, []);
    timeline.recordDecision({ kind: 'blocked', reason: 'revoked' }, []);
    timeline.recordDecision({ kind: 'blocked', reason: 'expired' }, []);
    timeline.recordDecision({ kind: 'offline-ended', since: at }, []);
    await settle();
    const of = (license: string, reason: string | null, until: string | null, features_on: string[] = []) => ({
      kind: 'decision',
      license,
      reason,
      until,
      features_on,
    });
    expect(timeline.entries.slice(1)).toMatchObject([
      of('works', null, works.worksUntil, ['csv_export']),
      of('works', null, works.worksUntil),
      of('offline', null, works.worksUntil),
      of('blocked', 'revoked', null),
      of('blocked', 'expired', null),
      of('offline-ended', null, null),
    ]);
    expect(platform.secrets.writes).toHaveLength(6);
  });
});

describe('a clock', () => {
  it('that was set, and a sleep, are recorded beyond five minutes', async () => {
    const { timeline, clock } = await start();
    const note = () => timeline.addCommand({ command: 'x', outcome: 'done' });
    await clock.advance(1000);
    clock.setWall(clock.now() + 300_000);
    note();
    clock.setWall(clock.now() + 300_001);
    note();
    clock.setWall(clock.now() - 400_000);
    note();
    clock.sleep(300_000);
    note();
    clock.sleep(300_001);
    note();
    // Only the uptime shows this sleep.
    clock.sleep(400_000);
    clock.setWall(clock.now() - 400_000);
    note();
    const jumps = timeline.entries.flatMap((entry) =>
      entry.kind === 'clock' ? [[entry.jumped_ms, entry.slept_ms]] : [],
    );
    expect(jumps).toEqual([
      [300_001, 0],
      [-400_000, 0],
      [300_001, 300_001],
      [0, 400_000],
    ]);
  });

  it('has no waking up while the machine was not asleep: it is the network that returned', async () => {
    const { timeline, platform } = await start();
    platform.wake();
    platform.suspend();
    platform.wake();
    platform.wake();
    expect(kinds(timeline.entries)).toEqual(['start', 'sleep', 'wake']);
  });

  it('has the sleep that the system announces', async () => {
    const { timeline, platform } = await start();
    platform.suspend();
    platform.wake();
    expect(kinds(timeline.entries)).toEqual(['start', 'sleep', 'wake']);
    await timeline.stop();
    expect(platform.listensForWaking()).toBe(false);
  });
});

it.each([
  ['signIn', 'done', true],
  ['signUp', 'done', true],
  ['signIn', 'INVALID_CREDENTIALS', false],
  ['syncNow', 'done', false],
])('the command %s (%s) records anew what is known: %s', async (command, outcome, expected) => {
  const { timeline } = await start();
  timeline.recordKnown(() => ({}) as never);
  timeline.addAnswer('about', failed('error', 'NOT_FOUND'));
  timeline.addCommand({ command, outcome });
  expect(timeline.entries.at(-1)).toEqual({
    kind: 'command',
    command,
    outcome,
    at,
    monotonic_ms: 1000,
    ...(expected && { known: {} }),
  });
});
