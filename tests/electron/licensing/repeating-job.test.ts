/** When a repeated job runs: one run at a time, at the times that its owner chooses. */
import { describe, expect, it } from 'vitest';
import { orCanceled } from '../../../electron/licensing/or-canceled.ts';
import { RepeatingJob } from '../../../electron/licensing/repeating-job.ts';
import { createFakePlatform, settle } from '../fake-platform.ts';

/** A job that runs every 10 s; each run ends when `end` is called. */
function create() {
  const { clock, log, logged } = createFakePlatform();
  const runs: { readonly end: () => void; readonly fail: () => void }[] = [];
  let changes = 0;
  const run = () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    runs.push({ end: resolve, fail: () => reject(new Error('no')) });
    return promise;
  };
  const seen: (boolean | number | null)[][] = [];
  const onChange = () => {
    changes += 1;
    seen.push([job.isRunning, job.nextRunAtMs]);
  };
  const job = new RepeatingJob({ clock, log, run, nextDelayMs: () => 10_000, onChange });
  const end = async () => {
    runs.at(-1)?.end();
    await settle();
  };
  return { job, clock, logged, runs, end, seen, changes: () => changes };
}

describe('a repeating job', () => {
  it('runs after its first delay and then after each next one', async () => {
    const { job, clock, runs, end, seen, changes } = create();
    expect([job.hasStarted, job.sinceLastRunMs, job.nextRunAtMs]).toEqual([false, Number.POSITIVE_INFINITY, null]);
    job.start(2000);
    job.start(1);
    expect(job.nextRunAtMs).toBe(clock.now() + 2000);
    await clock.advance(1999);
    expect(runs).toHaveLength(0);
    await clock.advance(1);
    expect(runs).toHaveLength(1);
    expect([job.isRunning, job.hasStarted, job.nextRunAtMs]).toEqual([true, true, null]);
    expect(seen.at(-1)).toEqual([true, null]);
    const before = changes();
    await end();
    expect(changes()).toBeGreaterThan(before);
    expect([job.isRunning, job.hasStarted, job.sinceLastRunMs]).toEqual([false, true, 0]);
    expect(job.nextRunAtMs).toBe(clock.now() + 10_000);
    await clock.advance(4000);
    expect(job.sinceLastRunMs).toBe(4000);
    await clock.advance(6000);
    expect(runs).toHaveLength(2);
  });

  it('runs at once if asked to, without a second timer', async () => {
    const { job, clock, runs, end } = create();
    job.start(2000);
    const done = job.runNow();
    expect(runs).toHaveLength(1);
    expect(clock.pendingTimers()).toBe(0);
    await end();
    await done;
    await clock.advance(9999);
    expect(runs).toHaveLength(1);
  });

  it('runs once more after the current run, however often it is asked to', async () => {
    const { job, clock, runs, end, seen } = create();
    const first = job.runNow();
    const asked = [job.runNow(), job.runNow()];
    expect(asked[0]).toBe(asked[1]);
    await end();
    await first;
    await settle();
    expect(runs).toHaveLength(2);
    expect([job.isRunning, job.nextRunAtMs]).toEqual([true, null]);
    await end();
    await Promise.all(asked);
    // Between the two runs, it never seems to wait for its time.
    expect(seen).toEqual([
      [true, null],
      [true, null],
      [false, clock.now() + 10_000],
    ]);
    expect(clock.pendingTimers()).toBe(1);
    expect(runs).toHaveLength(2);
  });

  it('can be brought forward, but not postponed, and not during a run', async () => {
    const { job, clock, runs, end, changes } = create();
    job.runWithin(1);
    expect(clock.pendingTimers()).toBe(0);
    job.start(10_000);
    job.runWithin(20_000);
    expect(job.nextRunAtMs).toBe(clock.now() + 10_000);
    job.runWithin(3000);
    expect(job.nextRunAtMs).toBe(clock.now() + 3000);
    expect(clock.pendingTimers()).toBe(1);
    await clock.advance(1000);
    const before = changes();
    job.runWithin(2500);
    job.runWithin(2000);
    expect([job.nextRunAtMs, changes()]).toEqual([clock.now() + 2000, before]);
    await clock.advance(2000);
    job.runWithin(1);
    await end();
    expect(job.nextRunAtMs).toBe(clock.now() + 10_000);
    expect(runs).toHaveLength(1);
  });

  it('goes on after a run that fails, and logs it', async () => {
    const { job, clock, logged, runs } = create();
    job.start(0);
    await clock.advance(0);
    runs[0]?.fail();
    await settle();
    expect(logged).toEqual(['a scheduled run failed unexpectedly {}']);
    expect(job.nextRunAtMs).toBe(clock.now() + 10_000);
  });

  it('never runs again once stopped, neither by its timer nor if asked to', async () => {
    const { job, clock, runs, end, changes } = create();
    job.start(1000);
    job.stop();
    expect(clock.pendingTimers()).toBe(0);
    await job.runNow();
    job.start(1);
    await clock.advance(20_000);
    expect(runs).toHaveLength(0);

    const other = create();
    other.job.start(0);
    await other.clock.advance(0);
    const next = other.job.runNow();
    let isOver = false;
    const stopped = other.job.stop().then(() => {
      isOver = true;
    });
    const before = other.changes();
    await settle();
    expect(isOver).toBe(false);
    await other.end();
    await next;
    await stopped;
    expect([other.runs.length, other.clock.pendingTimers(), other.changes()]).toEqual([1, 0, before]);
    await end();
    expect(changes()).toBe(1);
  });
});

describe('work that can be canceled', () => {
  const value = { kind: 'done' } as const;

  it('is awaited until it ends or fails', async () => {
    const { signal } = new AbortController();
    expect(await orCanceled(Promise.resolve(value), signal)).toBe(value);
    await expect(orCanceled(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
  });

  it('is not awaited once it is canceled, even if it never ends', async () => {
    const controller = new AbortController();
    const result = orCanceled(new Promise<typeof value>(() => {}), controller.signal);
    controller.abort();
    expect(await result).toEqual({ kind: 'canceled' });
    expect(await orCanceled(new Promise<typeof value>(() => {}), controller.signal)).toEqual({ kind: 'canceled' });
  });

  it('counts as canceled if it ends after that', async () => {
    const controller = new AbortController();
    controller.abort();
    expect(await orCanceled(Promise.resolve(value), controller.signal)).toEqual({ kind: 'canceled' });
  });
});
