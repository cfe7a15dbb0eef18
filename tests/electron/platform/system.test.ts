/** A machine id is only valid in the platform's format. */
import nodeMachineId from 'node-machine-id';
import { describe, expect, it, vi } from 'vitest';

vi.mock('electron', () => ({ net: {}, powerMonitor: {} }));
const { systemMachine, validMachineId } = await import('../../../electron/platform/system.ts');

const hex = '0123456789abcdef0123456789abcdef';
const uuid = '01234567-89ab-cdef-0123-456789abcdef';

describe('a machine id', () => {
  it.each([
    ['linux', hex, hex],
    ['linux', `${hex.toUpperCase()}\n`, hex],
    ['darwin', uuid.toUpperCase(), uuid],
    ['win32', uuid, uuid],
  ] as const)('on %s is read from %j', (platform, text, id) => {
    expect(validMachineId(text, platform)).toBe(id);
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
  ] as const)('on %s is not %j', (platform, text) => {
    expect(validMachineId(text, platform)).toBeNull();
  });

  it('of this machine is the one that node-machine-id reads, from which earlier versions made the device id', async () => {
    const id = validMachineId(nodeMachineId.machineIdSync(true), process.platform);
    expect(await systemMachine.readMachineId()).toBe(id);
  });
});
