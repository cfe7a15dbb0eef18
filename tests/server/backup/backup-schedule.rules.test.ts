/** When a backup is due, which process takes it, and which old ones are deleted. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { choosePruned, claimMs, isClaimed, isDue, tickMs } from '../../../server/backup/backup-schedule.rules.ts';
import { day, hour, minute, second } from '../../harness/fake-clock.ts';

const nowMs = 1000 * day;

it.each([
  [40 * second, 10 * second],
  [4 * minute - 4, minute - 1],
  [4 * minute, minute],
  [day, minute],
])('with a backup every %i ms, a process checks every %i ms', (everyMs, expected) => {
  expect(tickMs(everyMs)).toBe(expected);
});

describe('a backup is being taken', () => {
  it.each([
    ['while the claim holds', 1, true],
    ['just after it was claimed', claimMs, true],
    ['not when the claim ends', 0, false],
    ['not after it has ended', -1, false],
    ['not by a process whose clock was ahead', claimMs + 1, false],
  ])('%s', (_, leftMs, expected) => {
    expect(isClaimed({ untilMs: nowMs + leftMs }, nowMs)).toBe(expected);
  });

  it('by nobody if there is no claim', () => {
    expect(isClaimed(undefined, nowMs)).toBe(false);
  });
});

describe('the next backup', () => {
  it.each([
    ['a day after the last one', day, false, day, true],
    ['less than a day after the last one', day - 1, false, day, false],
    ['ten minutes after a failed one', 10 * minute, true, day, true],
    ['less than ten minutes after a failed one', 10 * minute - 1, true, day, false],
    ['ten minutes after one that did not fail', 10 * minute, false, day, false],
    ['a minute after a failed one, where each minute has one', minute, true, minute, true],
    ['less than a minute after a failed one, where each minute has one', minute - 1, true, minute, false],
    ['after the clock was set back by an hour', -hour, false, day, false],
    ['after the clock was set back by a day', -day, false, day, true],
  ])('%s: whether it is due', (_, passedMs, failed, everyMs, expected) => {
    expect(isDue({ startedAtMs: nowMs - passedMs, failed }, everyMs, nowMs)).toBe(expected);
  });

  it('is due at once if there was none before', () => {
    expect(isDue(undefined, day, nowMs)).toBe(true);
  });
});

describe('when old backups are deleted', () => {
  const proven = (id: number) => ({ id, proven: true });
  const failed = (id: number) => ({ id, proven: false });
  const prunedIds = (backups: readonly { id: number; proven: boolean }[], keep: number) =>
    choosePruned(backups, keep).map(({ id }) => id);

  it.each([
    [1, [2, 1]],
    [2, [1]],
    [3, []],
    [4, []],
  ])('the newest %i proven backups are kept, whatever has failed since', (keep, expected) => {
    expect(prunedIds([failed(5), proven(4), failed(3), proven(2), proven(1)], keep)).toStrictEqual(expected);
  });

  it('the newest proven backup is kept even if none should be kept', () => {
    expect(prunedIds([proven(2), proven(1)], 0)).toStrictEqual([1]);
  });

  it('the ten newest failed backups are kept', () => {
    const all = Array.from({ length: 12 }, (_, at) => failed(12 - at));
    expect(prunedIds(all, 5)).toStrictEqual([2, 1]);
    expect(prunedIds(all.slice(0, 10), 5)).toStrictEqual([]);
  });

  it('none of the newest proven backups or of the ten newest failed ones is deleted', () => {
    const isProven = fc.array(fc.boolean(), { maxLength: 40, size: 'max' });
    fc.assert(
      fc.property(isProven, fc.integer({ min: 1, max: 20 }), (list, keep) => {
        const backups = list.map((value, at) => ({ id: list.length - at, proven: value }));
        const pruned = choosePruned(backups, keep);
        const stay = backups.filter((backup) => !pruned.includes(backup));
        expect(stay.filter(({ proven }) => proven)).toStrictEqual(
          backups.filter(({ proven }) => proven).slice(0, keep),
        );
        expect(stay.filter(({ proven }) => !proven)).toStrictEqual(
          backups.filter(({ proven }) => !proven).slice(0, 10),
        );
      }),
    );
  });
});
