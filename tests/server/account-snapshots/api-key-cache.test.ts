/** The cache of API keys: bounded, and never holding a key whose account has changed. */
import { expect, it } from 'vitest';
import { ApiKeyCache } from '../../../server/account-snapshots/api-key-cache.ts';

const record = (userId: string) => ({ userId, is_legacy: 0, legacy_expires_at_ms: null, subscriptions: [] }) as const;

it('drops the key of an account that changes, and no other key', () => {
  const cache = new ApiKeyCache();
  cache.set('one', record('ada'));
  cache.set('two', record('bob'));
  cache.deleteOf('ada');
  expect([cache.get('one'), cache.get('two')]).toMatchObject([undefined, { userId: 'bob' }]);
  cache.clear();
  expect(cache.get('two')).toBeUndefined();
});

it('keeps the keys in use, up to its capacity', () => {
  const cache = new ApiKeyCache(10);
  for (let number = 0; number < 100; number++) {
    cache.set(`hash ${number}`, record(`user ${number}`));
    expect(cache.get('hash 0')).toBeDefined();
  }
  const kept = Array.from({ length: 100 }, (_, number) => cache.get(`hash ${number}`)).filter(Boolean);
  expect(kept).toHaveLength(10);
  cache.deleteOf('user 50');
  expect(cache.get('hash 99')).toBeDefined();
});
