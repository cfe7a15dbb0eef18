/** How client addresses are grouped. */
import { describe, expect, it } from 'vitest';
import { networkPrefix, rateLimitAddress } from '../../server/network-address.ts';

describe('the address by which a client is rate limited', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['2001:db8:1:2:3::4', '2001:db8:1:2::/64'],
    ['fe80::1%en-0.1', 'fe80:0:0:0::/64'],
    ['no address', 'unknown'],
    ['127.1', 'unknown'],
    [undefined, 'unknown'],
  ])('%s is counted as %s', (address, counted) => {
    expect(rateLimitAddress(address)).toBe(counted);
  });
});

describe('the network of an address', () => {
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
    expect(networkPrefix(address)).toBe(network);
  });
});
