/** Ill-formed keys need no database query if there are no legacy keys. */
import { describe, expect, it } from 'vitest';
import { LegacyKeyCache } from '../../../server/api-keys/legacy-key-cache.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';

function watch(database: { there: boolean }) {
  const clock = createFakeClock();
  let asked = 0;
  const cache = new LegacyKeyCache({
    clock,
    hasLegacyKeys: async () => {
      asked += 1;
      return database.there;
    },
  });
  return { clock, cache, asked: () => asked };
}

describe('whether there are legacy keys', () => {
  it('is queried only once per interval as long as there are none', async () => {
    const { clock, cache, asked } = watch({ there: false });
    for (let call = 0; call < 100; call++) expect(await cache.hasAny()).toBe(false);
    expect(asked()).toBe(1);
    clock.advance(25);
    expect(await cache.hasAny()).toBe(false);
    expect(asked()).toBe(2);
  });

  it('is noticed when another process imports one, and then remembered', async () => {
    const database = { there: false };
    const { clock, cache, asked } = watch(database);
    await cache.hasAny();
    database.there = true;
    clock.advance(25);
    expect(await cache.hasAny()).toBe(true);
    clock.advance(1000);
    expect(await cache.hasAny()).toBe(true);
    expect(asked()).toBe(2);
  });

  it('is also answered correctly for calls made during the first query', async () => {
    const { cache, asked } = watch({ there: true });
    expect(await Promise.all([cache.hasAny(), cache.hasAny()])).toEqual([true, true]);
    expect(asked()).toBe(1);
  });

  it('is unknown after a failed query, and queried again', async () => {
    const lookups = [() => Promise.reject(new Error('no database')), async () => true];
    const cache = new LegacyKeyCache({
      clock: createFakeClock(),
      hasLegacyKeys: () => lookups.shift()?.() ?? Promise.resolve(false),
    });
    await expect(cache.hasAny()).rejects.toThrow('no database');
    expect(await cache.hasAny()).toBe(true);
  });

  it('is known at once when this process imports one', async () => {
    const { cache } = watch({ there: false });
    await cache.hasAny();
    cache.noteImport();
    expect(await cache.hasAny()).toBe(true);
  });

  it('is still known if one is imported during a query that found none', async () => {
    const { cache } = watch({ there: false });
    const asking = cache.hasAny();
    cache.noteImport();
    await asking;
    expect(await cache.hasAny()).toBe(true);
  });
});
