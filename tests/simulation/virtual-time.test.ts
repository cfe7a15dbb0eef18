import { expect, it } from 'vitest';
import { VirtualTime } from './virtual-time.ts';

const startMs = Date.parse('2026-01-01T00:00:00Z');

it('fails when code sets a timer without delay again and again, instead of never ending', async () => {
  const time = new VirtualTime(startMs);
  const again = () => void time.at(time.nowMs, again);
  again();
  await expect(time.advance(1000)).rejects.toThrow('a timer without delay is set again and again');
});

it('runs any number of events of different times', async () => {
  const time = new VirtualTime(startMs);
  let count = 0;
  const again = () => {
    count += 1;
    time.at(time.nowMs + 1, again);
  };
  again();
  await time.advance(12_000);
  expect(count).toBe(12_001);
});
