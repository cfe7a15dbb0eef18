/** What every job of the server relies on: one run at a time, each failure reported once, and a stop that waits. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PeriodicTask } from '../../server/periodic-task.ts';
import { systemScheduler } from '../../server/scheduler.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a task runs at the interval, starting after the given delay', async () => {
  const run = vi.fn();
  const task = new PeriodicTask({ scheduler: systemScheduler, intervalMs: 1000, firstRunMs: 100, run });
  task.start();
  await vi.advanceTimersByTimeAsync(99);
  expect(run).toHaveBeenCalledTimes(0);
  await vi.advanceTimersByTimeAsync(2001);
  expect(run).toHaveBeenCalledTimes(3);
  await task.stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(run).toHaveBeenCalledTimes(3);
});

it('a task waits for the interval before its first run, or starts it at once', async () => {
  const [late, early] = [vi.fn(), vi.fn()];
  const tasks = [
    new PeriodicTask({ scheduler: systemScheduler, intervalMs: 1000, run: late }),
    new PeriodicTask({ scheduler: systemScheduler, intervalMs: 1000, firstRunMs: 0, run: early }),
  ];
  for (const task of tasks) task.start();
  expect([late.mock.calls.length, early.mock.calls.length]).toEqual([0, 1]);
  await vi.advanceTimersByTimeAsync(1000);
  expect([late.mock.calls.length, early.mock.calls.length]).toEqual([1, 2]);
  await Promise.all(tasks.map((task) => task.stop()));
});

it('a task never starts a run while another one is in progress, and its stop waits for that run', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const run = vi.fn(() => promise);
  const task = new PeriodicTask({ scheduler: systemScheduler, intervalMs: 10, firstRunMs: 0, run });
  task.start();
  await vi.advanceTimersByTimeAsync(1000);
  expect(run).toHaveBeenCalledTimes(1);
  const stopped = vi.fn();
  const stopping = task.stop().then(stopped);
  await vi.advanceTimersByTimeAsync(1000);
  expect([task.isStopped, stopped.mock.calls.length]).toEqual([true, 0]);
  resolve();
  await stopping;
  await vi.advanceTimersByTimeAsync(1000);
  expect(run).toHaveBeenCalledTimes(1);
});

it('a task continues after a failure, and reports several failures in a row once', async () => {
  const outcomes = ['fails', 'fails', 'works', 'works', 'throws'];
  const log: string[] = [];
  const task = new PeriodicTask({
    scheduler: systemScheduler,
    intervalMs: 1,
    run: () => {
      const outcome = outcomes.shift();
      if (outcome === 'throws') throw new Error(outcome);
      return outcome === 'fails' ? Promise.reject(new Error(outcome)) : undefined;
    },
    onFailure: (error) => log.push(String(error)),
    onRecovery: () => log.push('recovered'),
  });
  task.start();
  await vi.advanceTimersByTimeAsync(20);
  await task.stop();
  expect(log).toEqual(['Error: fails', 'recovered', 'Error: throws', 'recovered']);
});

it('a task that is stopped waits for what it does then, unless it was never started', async () => {
  const log: string[] = [];
  const newTask = (name: string) =>
    new PeriodicTask({
      scheduler: systemScheduler,
      intervalMs: 10,
      firstRunMs: 0,
      run: () => log.push(`${name} ran`),
      onStop: async (ended) => {
        await ended;
        log.push(`${name} ended`);
      },
    });
  const started = newTask('the started one');
  started.start();
  await Promise.all([started.stop(), newTask('the other').stop()]);
  expect(log).toEqual(['the started one ran', 'the started one ended']);
});

it('a run learns from its pause that the task was stopped', async () => {
  const goesOn: boolean[] = [];
  // Vitest does not replace the timers of `node:timers/promises`.
  const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  const task = new PeriodicTask({
    scheduler: { ...systemScheduler, sleep },
    intervalMs: 10,
    firstRunMs: 0,
    run: async (running) => {
      goesOn.push(await running.pause(5));
      goesOn.push(await running.pause(5));
    },
  });
  task.start();
  await vi.advanceTimersByTimeAsync(5);
  const stopping = task.stop();
  await vi.advanceTimersByTimeAsync(5);
  await stopping;
  expect(goesOn).toEqual([true, false]);
});
