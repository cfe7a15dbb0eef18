/** The current transfer rate of an upload. */
import { expect, it } from 'vitest';
import { createTransferRate } from '../../../renderer/admin/screens/installers/transfer-rate.ts';

it('the rate is the average while there are few measurements', () => {
  const rate = createTransferRate(1_000);
  expect(rate(0, 1_000)).toBe(0);
  expect(rate(500, 1_500)).toBe(1_000);
  expect(rate(4_000, 3_000)).toBe(2_000);
});

it('the rate follows a connection that becomes slow', () => {
  const rate = createTransferRate(0);
  for (let second = 1; second <= 10; second += 1) rate(second * 1_000_000, second * 1_000);
  let last = 0;
  for (let second = 11; second <= 20; second += 1) last = rate(10_000_000 + (second - 10) * 1_000, second * 1_000);
  expect(last).toBe(1_000);
});
