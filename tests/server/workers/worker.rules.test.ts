/** When a worker that crashed is restarted. */
import { expect, it } from 'vitest';
import { decideRestart } from '../../../server/workers/worker.rules.ts';

const second = 1000;

it('a worker that keeps crashing waits twice as long each time, up to half a minute', () => {
  const delays = [];
  for (let before = 0; before < 8; before++) delays.push(decideRestart(before, 2 * second).delayMs / second);
  expect(delays).toEqual([0.5, 1, 2, 4, 8, 16, 30, 30]);
  expect(decideRestart(5000, 0)).toEqual({ inARow: 5001, delayMs: 30 * second });
});

it('a worker that ran for a minute is restarted soon', () => {
  expect(decideRestart(7, 60 * second)).toEqual({ inARow: 1, delayMs: 500 });
});
