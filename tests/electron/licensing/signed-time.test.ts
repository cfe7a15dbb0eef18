/** What moves trusted time besides a Date: signed, imported and stored times, and a change of server. */
import { describe, expect, it } from 'vitest';
import { Clocks, dayMs, hourMs, minuteMs, readingOf, startMs } from './machine-clocks.ts';

const toleranceMs = 5 * minuteMs;

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

  it('replaces a Date far ahead, unless it is far ahead as well', () => {
    const time = new Clocks().start();
    time.confirm(startMs + 400 * dayMs);
    expect(time.isCorrectedBy(startMs + 390 * dayMs)).toBe(false);
    time.correct(startMs);
    expect(time.nowMs()).toBe(startMs);
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
