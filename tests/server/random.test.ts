/** Random bytes are taken from a pool: each is used once and never changes. Ids generated from them sort by time. */
import { expect, it } from 'vitest';
import { isUuid, lowestUuid, OrderedUuids } from '../../server/random.ts';
import { systemRandom } from '../../server/system-random.ts';

it('the random source never returns the same bytes twice, even when the pool is refilled', () => {
  const texts = Array.from({ length: 1_000 }, () => systemRandom(16).toString('hex'));
  expect(new Set(texts).size).toBe(texts.length);
});

it('the random source does not change bytes after returning them', () => {
  const given = Array.from({ length: 1_000 }, () => systemRandom(7));
  const before = given.map((bytes) => bytes.toString('hex'));
  for (let count = 0; count < 1_000; count++) systemRandom(16);
  expect(given.map((bytes) => bytes.toString('hex'))).toEqual(before);
  expect(before).not.toContain('00'.repeat(7));
});

it('the random source returns more bytes at once than the pool holds', () => {
  expect(systemRandom(10_000).length).toBe(10_000);
});

const nowMs = 1_700_000_000_000;

it('ordered ids sort in the order of creation, even within a millisecond', () => {
  const ids = new OrderedUuids(systemRandom);
  const made = Array.from({ length: 5000 }, (_, index) => ids.next(nowMs + Math.floor(index / 1000)));
  expect(made.toSorted()).toEqual(made);
  expect(new Set(made).size).toBe(made.length);
  expect(made.every(isUuid)).toBe(true);
});

it('ordered ids of one millisecond sort in the order of creation, even if an earlier time came in between', () => {
  for (let round = 0; round < 50; round += 1) {
    const ids = new OrderedUuids(systemRandom);
    const first = ids.next(nowMs);
    const earlier = ids.next(nowMs - 5);
    expect([ids.next(nowMs), first, earlier].toSorted()[1]).toBe(first);
  }
});

it('the lowest id of a time sorts between earlier ids and those from that time on', () => {
  const ids = new OrderedUuids(systemRandom);
  expect(ids.next(nowMs - 1) < lowestUuid(nowMs)).toBe(true);
  expect(lowestUuid(nowMs) < ids.next(nowMs)).toBe(true);
  expect(lowestUuid(-1)).toBe(lowestUuid(0));
  expect(lowestUuid(8.64e15)).toHaveLength(36);
});
