/** When a backup is due, who takes it, and which ones are deleted. */
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
])('for a backup every %i ms a process looks every %i ms', (everyMs, expected) => {
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
    expect(isClaimed({ id: 'run', untilMs: nowMs + leftMs }, nowMs)).toBe(expected);
  });

  it('by nobody where there is no claim', () => {
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

  it('is due at once where there was none', () => {
    expect(isDue(undefined, day, nowMs)).toBe(true);
  });
});

describe('of the backups', () => {
  const proven = (id: number) => ({ id, proven: true });
  const failed = (id: number) => ({ id, proven: false });
  const prunedIds = (backups: readonly { id: number; proven: boolean }[], keep: number) =>
    choosePruned(backups, keep).map(({ id }) => id);

  it.each([
    [1, [2, 1]],
    [2, [1]],
    [3, []],
    [4, []],
  ])('the newest %i that are proven stay, whatever failed since', (keep, expected) => {
    expect(prunedIds([failed(5), proven(4), failed(3), proven(2), proven(1)], keep)).toStrictEqual(expected);
  });

  it('the newest one that is proven stays, also where none is to be kept', () => {
    expect(prunedIds([proven(2), proven(1)], 0)).toStrictEqual([1]);
  });

  it('ten that failed stay', () => {
    const all = Array.from({ length: 12 }, (_, at) => failed(12 - at));
    expect(prunedIds(all, 5)).toStrictEqual([2, 1]);
    expect(prunedIds(all.slice(0, 10), 5)).toStrictEqual([]);
  });

  it('none is deleted of the newest that are proven, or of the ten newest that failed', () => {
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
