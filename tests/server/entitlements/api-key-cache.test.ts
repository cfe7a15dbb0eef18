/** The cache of API keys: what it has is what was stored, and it never takes more room than it was given. */
import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ApiKeyRecord } from '../../../server/entitlements/account-record.ts';
import { ApiKeyCache } from '../../../server/entitlements/api-key-cache.ts';

const digestOf = (number: number) => hash('sha256', String(number), 'binary');

const key = (number: number, other: Partial<ApiKeyRecord> = {}): ApiKeyRecord => ({
  userId: `user ${number}`,
  is_legacy: 0,
  legacy_expires_at_ms: null,
  subscription: { plan: 'standard', status: 'active', current_period_end_ms: 1_800_000_000_000 + number },
  ...other,
});

function withoutUser({ userId: _userId, ...cached }: ApiKeyRecord) {
  return cached;
}

describe('an API key that is cached', () => {
  it('is found with all that was stored', () => {
    const cache = new ApiKeyCache(100);
    const statuses = ['trialing', 'active', 'past_due', 'canceled', 'expired'] as const;
    const keys = [
      key(0),
      key(1, { is_legacy: 1, legacy_expires_at_ms: 1_700_000_000_001, subscription: undefined }),
      key(2, { is_legacy: 1, legacy_expires_at_ms: 0 }),
      ...statuses.map((status, index) =>
        key(3 + index, { subscription: { plan: `plan ${index}`, status, current_period_end_ms: -1 } }),
      ),
    ];
    for (const [number, record] of keys.entries()) cache.set(digestOf(number), record);
    for (const [number, record] of keys.entries()) {
      expect(cache.get(digestOf(number))).toEqual(withoutUser(record));
      // Read once more, because reading marks it as used.
      expect(cache.get(digestOf(number))).toEqual(withoutUser(record));
    }
    expect(cache.get(digestOf(99))).toBeUndefined();
  });

  it('is replaced by a newer record', () => {
    const cache = new ApiKeyCache(2);
    for (let times = 0; times < 5; times++) cache.set(digestOf(1), key(times));
    cache.set(digestOf(2), key(2));
    expect(cache.get(digestOf(1))).toEqual(withoutUser(key(4)));
    expect(cache.get(digestOf(2))).toEqual(withoutUser(key(2)));
  });

  it('is dropped when its user is changed, and can be stored again', () => {
    const cache = new ApiKeyCache(10);
    cache.set(digestOf(1), key(1));
    cache.set(digestOf(2), key(2));
    cache.deleteOf('user 1');
    expect(cache.get(digestOf(1))).toBeUndefined();
    expect(cache.get(digestOf(2))).toBeDefined();
    cache.set(digestOf(1), key(7));
    expect(cache.get(digestOf(1))).toEqual(withoutUser(key(7)));
    cache.clear();
    expect(cache.get(digestOf(1))).toBeUndefined();
    expect(cache.get(digestOf(2))).toBeUndefined();
  });
});

describe('a change of thousands of users', () => {
  it('drops hardly any keys of others', () => {
    const cache = new ApiKeyCache(20_000);
    for (let number = 0; number < 20_000; number++) cache.set(digestOf(number), key(number));
    for (let number = 0; number < 5_000; number++) cache.deleteOf(`user ${number}`);
    const kept = Array.from({ length: 20_000 }, (_, number) => number).filter((number) => cache.get(digestOf(number)));
    expect(kept.every((number) => number >= 5_000)).toBe(true);
    expect(kept.length).toBeGreaterThan(14_500);
  });
});

describe('a full cache', () => {
  it('makes room by dropping a key that was not used lately', () => {
    const cache = new ApiKeyCache(3);
    for (const number of [1, 2, 3]) cache.set(digestOf(number), key(number));
    for (const number of [1, 3]) cache.get(digestOf(number));
    cache.set(digestOf(4), key(4));
    expect([1, 2, 3, 4].filter((number) => cache.get(digestOf(number)) !== undefined)).toEqual([1, 3, 4]);
  });

  it('finds as many keys as it has room for, each with its own record, whatever was evicted', () => {
    const capacity = 50;
    const cache = new ApiKeyCache(capacity);
    for (let number = 0; number < 5_000; number++) {
      cache.set(digestOf(number), key(number));
      if (number % 3 === 0) cache.get(digestOf(number - 20));
      if (number % 500 > 0) continue;
      const found = Array.from({ length: number + 1 }, (_, earlier) => earlier).filter((earlier) => {
        const record = cache.get(digestOf(earlier));
        if (record) expect(record).toEqual(withoutUser(key(earlier)));
        return record !== undefined;
      });
      expect(found.length).toBe(Math.min(number + 1, capacity));
      expect(found).toContain(number);
    }
  });
});
