/** A machine id is valid only in the platform's format. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import nodeMachineId from 'node-machine-id';
import { describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';

vi.mock('electron', () => ({ net: {}, powerMonitor: {} }));
const { readLinuxMachineId, systemMachine, validMachineId } = await import('../../../electron/platform/system.ts');

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

  it('of this machine is the one that node-machine-id reads', async () => {
    const value = validMachineId(nodeMachineId.machineIdSync(true), process.platform);
    expect(await systemMachine.readMachineId()).toEqual(value === null ? { kind: 'absent' } : { kind: 'value', value });
  });
});

describe('the machine id of Linux', () => {
  const other = 'fedcba9876543210fedcba9876543210';

  /** Writes the two files: `null` for none, `folder` for one that exists and cannot be read. */
  function write(...texts: readonly (string | null | { readonly folder: true })[]): string[] {
    const folder = temporaryFolder();
    return texts.map((text, index) => {
      const path = join(folder, String(index));
      if (typeof text === 'string') writeFileSync(path, text);
      else if (text !== null) mkdirSync(path);
      return path;
    });
  }

  it.each([
    ['of the system, before the copy of D-Bus', [`${hex}\n`, `${other}\n`], { kind: 'value', value: hex }],
    ['of a file without a line break at its end', [hex, hex], { kind: 'value', value: hex }],
    ['of D-Bus where the system has no file', [null, `${other}\n`], { kind: 'value', value: other }],
    ['of D-Bus where that of the system is empty', ['', `${other}\n`], { kind: 'value', value: other }],
    ['absent where no file exists, as in a container', [null, null], { kind: 'absent' }],
    ['absent where the file is empty, as in a container', ['\n', null], { kind: 'absent' }],
  ] as const)('is the one %s', async (_, texts, read) => {
    expect(await readLinuxMachineId(write(...texts))).toEqual(read);
  });

  it.each([
    ['exists but cannot be read', { folder: true } as const],
    ['is not chosen yet', 'uninitialized\n'],
  ])('is unreadable, instead of that of D-Bus, while the file of the system %s', async (_, text) => {
    expect(await readLinuxMachineId(write(text, `${other}\n`))).toMatchObject({ kind: 'unreadable' });
  });
});
