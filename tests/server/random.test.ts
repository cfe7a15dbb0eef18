/** Random bytes are taken from a pool: each is given out once, and what was given out never changes. */
import { expect, it } from 'vitest';
import { systemRandom } from '../../server/random.ts';

it('never gives out the same bytes twice, also when the pool is refilled', () => {
  const texts = Array.from({ length: 1_000 }, () => systemRandom(16).toString('hex'));
  expect(new Set(texts).size).toBe(texts.length);
});

it('does not change bytes that it has given out', () => {
  const given = Array.from({ length: 1_000 }, () => systemRandom(7));
  const before = given.map((bytes) => bytes.toString('hex'));
  for (let count = 0; count < 1_000; count++) systemRandom(16);
  expect(given.map((bytes) => bytes.toString('hex'))).toEqual(before);
  expect(before).not.toContain('00'.repeat(7));
});

it('gives out more bytes at once than the pool has', () => {
  expect(systemRandom(10_000).length).toBe(10_000);
});
