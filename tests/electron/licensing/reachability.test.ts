/** Whether the server can be reached: what a failed call says about it, and what it does not. */
import { describe, expect, it } from 'vitest';
import { ActivityLog } from '../../../electron/licensing/activity-log.ts';
import type { ApiResult } from '../../../electron/licensing/api-response.ts';
import { ReachabilityTracker } from '../../../electron/licensing/reachability.ts';
import { createFakeClock } from '../fake-platform.ts';

const success: ApiResult<unknown> = { kind: 'success', response: {}, serverTimeMs: null };
const failureOf = (code: string, at = '2026-03-03T08:00:00.000Z') => ({ code, message: 'No.', at });
const failed = (code = 'SERVER_UNREACHABLE', at?: string): ApiResult<unknown> => ({
  kind: 'inconclusive',
  failure: failureOf(code, at),
});

function start() {
  const clock = createFakeClock();
  const activity = new ActivityLog({ clock });
  const tracker = new ReachabilityTracker({ activity, clock });
  const noted = () => activity.entries.map(({ kind, detail }) => [kind, detail]);
  return { clock, tracker, noted };
}

describe('the server', () => {
  it('is not known to be reachable before the first call, nor after a change of server', () => {
    const { tracker } = start();
    expect(tracker.state).toEqual({ kind: 'unknown' });
    expect(tracker.lastAnswerAt).toBeNull();
    tracker.record(success);
    tracker.forget();
    expect(tracker.state).toEqual({ kind: 'unknown' });
    expect(tracker.lastAnswerAt).toBeNull();
  });

  it.each<ApiResult<unknown>>([
    success,
    { kind: 'error', failure: failureOf('LICENSE_REVOKED') },
    { kind: 'unsupported', failure: failureOf('NOT_SUPPORTED_BY_SERVER') },
  ])('is reachable if it answers, whatever the answer is: $kind', async (result) => {
    const { tracker, clock, noted } = start();
    await clock.advance(5000);
    tracker.record(result);
    expect(tracker.state).toEqual({ kind: 'online' });
    expect(tracker.lastAnswerAt).toBe('2026-03-03T09:00:05.000Z');
    expect(noted()).toEqual([]);
  });

  it('is unreachable from the first failed call on, with the latest failure, and both changes are recorded once', () => {
    const { tracker, noted } = start();
    tracker.record(failed('SERVER_UNREACHABLE', '2026-03-03T08:00:00.000Z'));
    tracker.record(failed('SERVER_RESPONSE_INVALID', '2026-03-03T08:10:00.000Z'));
    expect(tracker.state).toEqual({
      kind: 'offline',
      since: '2026-03-03T08:00:00.000Z',
      nextTryAt: null,
      failure: failureOf('SERVER_RESPONSE_INVALID', '2026-03-03T08:10:00.000Z'),
    });
    expect(tracker.lastAnswerAt).toBeNull();
    tracker.record(success);
    tracker.record(success);
    expect(tracker.state).toEqual({ kind: 'online' });
    expect(noted()).toEqual([
      ['back-online', null],
      ['went-offline', 'SERVER_UNREACHABLE'],
    ]);
  });

  it.each(['RATE_LIMITED', 'INTERNAL_ERROR', 'CANCELED'])(
    'is neither reachable nor unreachable after a call with %s',
    (code) => {
      const { tracker, noted } = start();
      tracker.record(failed(code));
      expect(tracker.state).toEqual({ kind: 'unknown' });
      tracker.record(success);
      tracker.record(failed(code));
      expect(tracker.state).toEqual({ kind: 'online' });
      expect(noted()).toEqual([]);
    },
  );
});

describe('the next attempt', () => {
  const atMs = Date.parse('2026-03-03T09:01:00.000Z');

  it('is reported while the server cannot be reached, even if it was planned before', () => {
    const { tracker } = start();
    tracker.expectNextTry(atMs);
    expect(tracker.state).toEqual({ kind: 'unknown' });
    tracker.record(failed());
    expect(tracker.state).toMatchObject({ kind: 'offline', nextTryAt: '2026-03-03T09:01:00.000Z' });
    tracker.expectNextTry(atMs + 1000);
    expect(tracker.state).toMatchObject({ kind: 'offline', nextTryAt: '2026-03-03T09:01:01.000Z' });
    tracker.expectNextTry(null);
    expect(tracker.state).toMatchObject({ kind: 'offline', nextTryAt: null });
  });

  it('is not reported while the server can be reached', () => {
    const { tracker } = start();
    tracker.record(success);
    tracker.expectNextTry(atMs);
    expect(tracker.state).toEqual({ kind: 'online' });
  });
});

describe('a machine that has just woken', () => {
  it.each([
    [0, true],
    [14_999, true],
    [15_000, false],
    [15_001, false],
  ])(
    'is in this state after %i ms: %s, and then a failed call does not mean that it is offline',
    async (ms, isWaking) => {
      const { tracker, clock } = start();
      tracker.record(success);
      expect(tracker.isWaking).toBe(false);
      tracker.expectWaking();
      await clock.advance(ms);
      expect(tracker.isWaking).toBe(isWaking);
      tracker.record(failed());
      expect(tracker.state.kind).toBe(isWaking ? 'online' : 'offline');
    },
  );

  it('stays offline if it was before, with the latest failure, and is offline if nothing was known', () => {
    const before = start();
    before.tracker.record(failed());
    before.tracker.expectWaking();
    before.tracker.record(failed('SERVER_RESPONSE_INVALID'));
    expect(before.tracker.state).toMatchObject({ kind: 'offline', failure: { code: 'SERVER_RESPONSE_INVALID' } });

    const fresh = start();
    fresh.tracker.expectWaking();
    fresh.tracker.record(failed());
    expect(fresh.tracker.state.kind).toBe('offline');
  });
});
