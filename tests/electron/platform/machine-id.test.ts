/** Only an id in the platform's own shape names a machine. */
import { describe, expect, it } from 'vitest';
import { acceptMachineId } from '../../../electron/platform/machine-id.ts';

const hex = '0123456789abcdef0123456789abcdef';
const uuid = '01234567-89ab-cdef-0123-456789abcdef';

describe('a machine id', () => {
  it.each([
    ['linux', hex, hex],
    ['linux', `${hex.toUpperCase()}\n`, hex],
    ['darwin', uuid.toUpperCase(), uuid],
    ['win32', uuid, uuid],
  ] as const)('on %s is taken from %j', (platform, text, id) => {
    expect(acceptMachineId(text, platform)).toBe(id);
  });

  it.each([
    ['linux', ''],
    ['linux', 'uninitialized'],
    ['linux', 'my-laptop'],
    ['linux', '0'.repeat(32)],
    ['linux', uuid],
    ['linux', `${hex}0`],
    ['darwin', hex],
    ['darwin', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
    ['win32', '00000000-0000-0000-0000-000000000000'],
    ['win32', ''],
    ['freebsd', uuid],
  ] as const)('on %s is not taken from %j', (platform, text) => {
    expect(acceptMachineId(text, platform)).toBeNull();
  });
});
