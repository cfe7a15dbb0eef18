/** Which devices a list shows, and in which order. */
import { expect, test } from 'vitest';
import { filterDevices, keyPreviewOf, replaceableDevices } from '../../../renderer/routes/device-order.ts';
import { from, sampleDevice } from '../sample-states.ts';

const now = Date.parse('2027-02-10T12:00:00Z');
const key = 'SVC-7QK2-90AB-CDEF-M4XD';
const devices = [
  sampleDevice(now, { activationId: 'recent', name: 'Bench', lastSeenAt: from(now, -1000) }),
  sampleDevice(now, { activationId: 'own', name: 'Mine', isThisDevice: true, lastSeenAt: from(now, -9000) }),
  sampleDevice(now, { activationId: 'unseen', name: 'Cart', platform: 'win32 x64', lastSeenAt: from(now, -5000) }),
  sampleDevice(now, {
    activationId: 'other',
    name: 'Else',
    keyPreview: 'SVC-AAAA...BBBB',
    lastSeenAt: from(now, -7000),
  }),
];
const ids = (listed: readonly { activationId: string }[]) => listed.map(({ activationId }) => activationId);

test('offers the devices of the license, the longest unseen first, never this one', () => {
  expect(ids(replaceableDevices(devices, keyPreviewOf(key)))).toEqual(['unseen', 'recent']);
});

test('offers all other devices if the key is not in our format', () => {
  expect(ids(replaceableDevices(devices, keyPreviewOf('another-servers-key')))).toEqual(['other', 'unseen', 'recent']);
});

test('lists this device first, then the most recently seen, and filters by name or platform', () => {
  expect(ids(filterDevices(devices, ''))).toEqual(['own', 'recent', 'unseen', 'other']);
  expect(ids(filterDevices(devices, ' WINDOWS '))).toEqual(['unseen']);
  expect(ids(filterDevices(devices, 'ben'))).toEqual(['recent']);
});
