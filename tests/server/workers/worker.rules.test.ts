/** When a worker that crashed is started again. */
import { expect, it } from 'vitest';
import { decideRestart } from '../../../server/workers/worker.rules.ts';

const second = 1000;

it('one that crashes again and again waits twice as long each time, and half a minute at most', () => {
  const delays = [];
  for (let before = 0; before < 8; before++) delays.push(decideRestart(before, 2 * second).delayMs / second);
  expect(delays).toEqual([0.5, 1, 2, 4, 8, 16, 30, 30]);
  expect(decideRestart(5000, 0)).toEqual({ inARow: 5001, delayMs: 30 * second });
});

it('one that ran for a minute is started again soon', () => {
  expect(decideRestart(7, 60 * second)).toEqual({ inARow: 1, delayMs: 500 });
});
