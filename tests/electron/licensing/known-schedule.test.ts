/** How often the history records what the client knows, and how long the machine slept between two entries. */
import { describe, expect, it } from 'vitest';
import { KnownSchedule, readClocks, sleptBetween } from '../../../electron/licensing/known-schedule.ts';
import { createFakeClock } from '../fake-platform.ts';

const hourMs = 3_600_000;
const known = { account_id: 'ada' } as never;

function start() {
  const clock = createFakeClock();
  const schedule = new KnownSchedule(clock);
  return { clock, schedule };
}

function begin() {
  const started = start();
  started.schedule.begin(() => known);
  expect(started.schedule.take()).toEqual({ known });
  return started;
}

describe('what the client knows is recorded', () => {
  it('only once it has been read', () => {
    const { schedule } = start();
    expect(schedule.isDue).toBe(true);
    expect(schedule.take()).toEqual({});
    schedule.begin(() => known);
    expect(schedule.take()).toEqual({ known });
    expect(schedule.isDue).toBe(false);
    expect(schedule.take()).toEqual({});
  });

  it('with every 250th entry', () => {
    const { schedule } = begin();
    for (let entries = 1; entries < 250; entries++) expect(schedule.take()).toEqual({});
    expect(schedule.isDue).toBe(true);
    expect(schedule.take()).toEqual({ known });
    expect(schedule.take()).toEqual({});
  });

  it('after twelve hours, by the clock that has moved further, in either direction', async () => {
    const { clock, schedule } = begin();
    await clock.advance(12 * hourMs - 1);
    expect(schedule.isDue).toBe(false);
    await clock.advance(1);
    expect(schedule.take()).toEqual({ known });
    clock.sleep(12 * hourMs);
    expect(schedule.take()).toEqual({ known });
    clock.setWall(clock.now() - 12 * hourMs);
    expect(schedule.take()).toEqual({ known });
    clock.setWall(clock.now() - 12 * hourMs + 1);
    expect(schedule.take()).toEqual({});
  });

  it('with the next entry after a restart', () => {
    const { schedule } = begin();
    schedule.restart();
    expect(schedule.take()).toEqual({ known });
  });
});

describe('the time of sleep between two entries', () => {
  it('is what the uptime counts beyond the monotonic clock', async () => {
    const { clock } = start();
    const before = readClocks(clock);
    expect(before).toEqual({ wallMs: clock.now(), monotonicMs: 1000, boot: { id: 'boot-1', ms: 50_000 } });
    await clock.advance(5000);
    clock.sleep(7000);
    expect(sleptBetween(before, readClocks(clock))).toBe(7000);
  });

  it('is never negative, and unknown without the uptime', () => {
    const boot = { id: 'boot-1', ms: 10_000 };
    const before = { wallMs: 0, monotonicMs: 0, boot };
    expect(sleptBetween(before, { wallMs: 0, monotonicMs: 5000, boot })).toBe(0);
    expect(sleptBetween({ ...before, boot: null }, { ...before, boot: { ...boot, ms: 99_000 } })).toBe(0);
    expect(sleptBetween(before, { ...before, boot: null })).toBe(0);
  });
});
