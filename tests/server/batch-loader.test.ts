/** Calls that arrive together form one batch, few batches run at once, and waiting is bounded. */
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createBatchLoader } from '../../server/batch-loader.ts';
import { DatabaseUnavailable } from '../../server/database/database-errors.ts';
import { currentDeadline, Deadline, DeadlineExceeded, runWithDeadline } from '../../server/deadline.ts';
import { createFakeClock } from '../harness/fake-clock.ts';

/** Creates a loader whose batches end when the test says so. */
function createLoader(limits: { maxBatchSize?: number; maxRunning?: number; maxWaiting?: number } = {}) {
  const batches: { inputs: readonly number[]; end: (outputs: (number | Error)[]) => void; hasDeadline: boolean }[] = [];
  const load = createBatchLoader<number, number>({
    maxBatchSize: 10,
    maxRunning: 1,
    maxWaiting: 100,
    ...limits,
    run: (inputs) => {
      const { promise, resolve } = Promise.withResolvers<(number | Error)[]>();
      batches.push({ inputs, end: resolve, hasDeadline: currentDeadline() !== undefined });
      return promise;
    },
  });
  const endNext = async () => {
    const batch = batches.shift();
    batch?.end(batch.inputs.map((input) => (input < 0 ? new Error(`no ${input}`) : input * 2)));
    for (let turns = 0; turns < 3; turns++) await setImmediate();
    return batch;
  };
  return { load, batches, endNext };
}

it('a loader runs calls of one turn as one batch, and collects calls that arrive in the meantime', async () => {
  const { load, batches, endNext } = createLoader();
  const first = [load(1), load(2)];
  await setImmediate();
  const second = [load(3), load(-4)];
  await setImmediate();
  expect(batches.map(({ inputs }) => inputs)).toEqual([[1, 2]]);
  await endNext();
  second.push(load(5));
  expect(batches.map(({ inputs }) => inputs)).toEqual([[3, -4]]);
  const outcomes = Promise.allSettled([...first, ...second]);
  await endNext();
  await endNext();
  expect((await outcomes).map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason))).toEqual([
    ...[2, 4, 6],
    new Error('no -4'),
    10,
  ]);
});

it('a loader runs no more batches at once, and no larger ones, than allowed', async () => {
  const { load, batches, endNext } = createLoader({ maxBatchSize: 2, maxRunning: 2 });
  const all = Promise.all([1, 2, 3, 4, 5].map(load));
  await setImmediate();
  await setImmediate();
  expect(batches.map(({ inputs }) => inputs)).toEqual([
    [1, 2],
    [3, 4],
  ]);
  for (let times = 0; times < 3; times++) await endNext();
  expect(await all).toEqual([2, 4, 6, 8, 10]);
});

it('a loader refuses calls beyond the number that may wait, until earlier ones are finished', async () => {
  const { load, endNext } = createLoader({ maxWaiting: 2 });
  const waiting = Promise.all([load(1), load(2)]);
  await expect(load(3)).rejects.toThrow(DatabaseUnavailable);
  await setImmediate();
  await endNext();
  await waiting;
  const later = load(4);
  await setImmediate();
  await endNext();
  expect(await later).toBe(8);
});

it('a loader runs batches outside of any request, whose deadline still ends its own wait', async () => {
  const { load, batches, endNext } = createLoader();
  const other = load(2);
  // By a clock that stands still, the deadline cannot pass before the call begins to wait.
  const deadline = new Deadline(5, undefined, createFakeClock());
  await expect(runWithDeadline(deadline, () => load(1))).rejects.toThrow(DeadlineExceeded);
  expect(batches.map(({ inputs, hasDeadline }) => ({ inputs, hasDeadline }))).toEqual([
    { inputs: [2, 1], hasDeadline: false },
  ]);
  await endNext();
  expect(await other).toBe(4);
});

it('a loader rejects every call of a batch that fails, and continues', async () => {
  let runs = 0;
  const load = createBatchLoader<number, number>({
    maxBatchSize: 10,
    maxRunning: 1,
    maxWaiting: 10,
    run: async (inputs) => {
      if (++runs === 1) throw new Error('away');
      return inputs;
    },
  });
  for (const outcome of await Promise.allSettled([load(1), load(2)])) expect(outcome.status).toBe('rejected');
  expect(await load(3)).toBe(3);
});
