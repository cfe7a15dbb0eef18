/** Which devices are shown or offered, in which order. */
import { expect, test } from 'vitest';
import { findDevices } from '../../../renderer/routes/devices/find-devices.ts';
import { previewOf, replaceableDevices } from '../../../renderer/routes/devices/replaceable-devices.ts';
import { from, sampleDevice } from '../sample-states.ts';

const now = Date.parse('2027-02-10T12:00:00Z');
const key = 'SVC-7QK2-90AB-CDEF-M4XD';
const devices = [
  sampleDevice(now, { activationId: 'recent', name: 'Bench', lastSeenAt: from(now, -1000) }),
  sampleDevice(now, { activationId: 'own', name: 'Mine', isThisDevice: true, lastSeenAt: from(now, -9000) }),
  sampleDevice(now, { activationId: 'silent', name: 'Cart', platform: 'win32 x64', lastSeenAt: from(now, -5000) }),
  sampleDevice(now, {
    activationId: 'other',
    name: 'Else',
    keyPreview: 'SVC-AAAA...BBBB',
    lastSeenAt: from(now, -7000),
  }),
];
const ids = (found: readonly { activationId: string }[]) => found.map(({ activationId }) => activationId);

test('offers the devices of the entered license, the longest silent first, never this one', () => {
  expect(ids(replaceableDevices(devices, previewOf(key)))).toEqual(['silent', 'recent']);
});

test('offers all others where the license cannot be told from the key', () => {
  expect(ids(replaceableDevices(devices, previewOf('another-servers-key')))).toEqual(['other', 'silent', 'recent']);
});

test('lists this device first, then the last seen, and finds by name or platform', () => {
  expect(ids(findDevices(devices, ''))).toEqual(['own', 'recent', 'silent', 'other']);
  expect(ids(findDevices(devices, ' WINDOWS '))).toEqual(['silent']);
  expect(ids(findDevices(devices, 'ben'))).toEqual(['recent']);
});
