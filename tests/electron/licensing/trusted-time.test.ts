/** Trusted time before the server answers, after it has sent its time, and after it was stored. */
import { describe, expect, it } from 'vitest';
import type { BootTime } from '../../../electron/licensing/platform.ts';
import type { TrustedTime } from '../../../electron/licensing/trusted-time.ts';
import { Clocks, dayMs, hourMs, minuteMs, readingOf, startMs } from './machine-clocks.ts';

const toleranceMs = 5 * minuteMs;

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

  it.each([
    [3 * hourMs + 59_999, 3 * hourMs],
    [toleranceMs, 0],
    [-toleranceMs - 1, -toleranceMs - 60_000],
  ])('tells that a clock is %i ms off, in whole minutes, so that the time is never behind it', (offMs, expected) => {
    const clocks = new Clocks();
    const time = clocks.start();
    time.confirm(startMs);
    clocks.wallMs += offMs;
    expect(time.clockAheadMs).toBe(expected);
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
