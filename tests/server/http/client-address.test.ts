/** What an unauthenticated client is counted by. */
import { expect, it } from 'vitest';
import { addressForCounting } from '../../../server/http/client-address.ts';

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3::4', '2001:db8:1:2::/64'],
  ['no address', 'no address'],
  ['x'.repeat(100), 'x'.repeat(64)],
  [undefined, 'unknown'],
])('%s is counted as %s', (address, counted) => {
  expect(addressForCounting(address)).toBe(counted);
});
