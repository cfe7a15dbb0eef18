/** Which network an address belongs to. */
import { expect, it } from 'vitest';
import { networkOf } from '../../../server/heartbeats/network-prefix.ts';

it.each([
  ['203.0.113.7', '203.0.113.0/24'],
  ['203.0.113.254', '203.0.113.0/24'],
  ['::ffff:203.0.113.7', '203.0.113.0/24'],
  ['2001:db8:1:2::7', '2001:db8:1::/48'],
  ['2001:0DB8:0001:ffff::', '2001:db8:1::/48'],
  ['::1', '0:0:0::/48'],
  ['fe80::1%eth0', 'fe80:0:0::/48'],
  ['no address', 'unknown'],
  [undefined, 'unknown'],
])('%s is in %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
