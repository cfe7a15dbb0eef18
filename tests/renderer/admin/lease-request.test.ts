/** A device's request file is checked before any of it is sent. */
import { expect, test } from 'vitest';
import {
  leaseFileName,
  parseLeaseRequest,
  previewOf,
  readLeaseRequest,
} from '../../../renderer/admin/screens/devices/lease-request.ts';

const request = {
  license_key: 'SVC-AB12-CD34-EF56-WXYZ',
  device_id: 'HW-0123ABCD-0123ABCD-0123ABCD-0123ABCD',
  device_name: 'Bench 4',
  platform: 'linux x64',
};

test('a request is read unchanged, with or without a byte order mark, and other fields are dropped', () => {
  const text = JSON.stringify({ ...request, note: 'from the lab' });
  expect(parseLeaseRequest(text)).toStrictEqual({ request });
  expect(parseLeaseRequest(`\uFEFF${text}`)).toStrictEqual({ request });
});

test('the name and the platform of the device are optional', () => {
  const { license_key, device_id } = request;
  const read = parseLeaseRequest(JSON.stringify({ license_key, device_id }));
  expect(read).toStrictEqual({ request: { license_key, device_id, device_name: '', platform: '' } });
});

test.each([
  ['notJson', ''],
  ['notJson', 'lease'],
  ['notJson', 'null'],
  ['notJson', '[]'],
  ['licenseKey', '{}'],
  ['licenseKey', JSON.stringify({ ...request, license_key: ' ' })],
  ['deviceId', JSON.stringify({ ...request, device_id: 'HW-1' })],
  ['deviceId', JSON.stringify({ ...request, device_id: undefined })],
  ['text', JSON.stringify({ ...request, device_name: 4 })],
] as const)('%s is the problem of %s', (problem, text) => {
  expect(parseLeaseRequest(text)).toStrictEqual({ problem });
});

test('a file that is too large is not read', async () => {
  const file = new Blob([JSON.stringify(request).padEnd(64 * 1024 + 1)]);
  expect(await readLeaseRequest(file)).toStrictEqual({ problem: 'tooLarge' });
  expect(await readLeaseRequest(new Blob([JSON.stringify(request)]))).toStrictEqual({ request });
});

test('a license is shown by its preview, but a key of another system has none', () => {
  expect(previewOf(request)).toBe('SVC-AB12...WXYZ');
  expect(previewOf({ ...request, license_key: 'F00D-CAFE' })).toBeNull();
});

test('a lease file is named after its device', () => {
  expect(leaseFileName(request)).toBe('Bench-4.lease');
  expect(leaseFileName({ ...request, device_name: '../../EEG: rig/2' })).toBe('EEG-rig-2.lease');
  expect(leaseFileName({ ...request, device_name: '' })).toBe(`${request.device_id}.lease`);
});
