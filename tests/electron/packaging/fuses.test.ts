/** The fuses read back from a binary match the requested ones, and all of them are requested. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { checkFuses, findRemovedFuses, fuseSettings } from '../../../electron/packaging/fuses.ts';
import { repository } from '../../harness/environment.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { electronBinary } from './electron-binary.ts';

const builder = parse(readFileSync(join(repository, 'electron-builder.yml'), 'utf8'));
const settings = fuseSettings.parse(builder.electronFuses);

function binaryWith(fuses: string): string {
  const program = join(temporaryFolder(), 'program');
  writeFileSync(program, electronBinary(fuses));
  return program;
}

it('the app cannot be run as Node or debugged, encrypts cookies and loads only its checked archive', () => {
  expect(settings).toEqual({
    runAsNode: false,
    enableCookieEncryption: true,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    enableEmbeddedAsarIntegrityValidation: true,
    onlyLoadAppFromAsar: true,
    loadBrowserProcessSpecificV8Snapshot: false,
    grantFileProtocolExtraPrivileges: false,
    resetAdHocDarwinSignature: true,
  });
});

it('finds no problem if all are as requested, whatever additional ones a newer Electron has', async () => {
  expect(await checkFuses(binaryWith('01001100'), settings)).toEqual([]);
  expect(await checkFuses(binaryWith('0100110011'), settings)).toEqual([]);
});

it('names each fuse that differs', async () => {
  const program = binaryWith('11r01100');
  expect(await checkFuses(program, settings)).toEqual([
    `The fuse runAsNode of ${program} is on, and has to be off.`,
    `The fuse enableNodeOptionsEnvironmentVariable of ${program} is missing, and has to be off.`,
  ]);
});

it('finds a fuse that Electron no longer has before it is set, which would hide it', async () => {
  expect(await findRemovedFuses(binaryWith('101100010'))).toEqual([]);
  expect(await findRemovedFuses(binaryWith('1011r00'))).toEqual([
    expect.stringContaining('enableEmbeddedAsarIntegrityValidation'),
    expect.stringContaining('grantFileProtocolExtraPrivileges'),
  ]);
});

it('rejects a file without fuses', async () => {
  const program = join(temporaryFolder(), 'program');
  writeFileSync(program, 'no fuses');
  await expect(checkFuses(program, settings)).rejects.toThrow();
});

it('rejects a setting for a fuse that is not read back', () => {
  expect(fuseSettings.safeParse({ ...settings, wasmTrapHandlers: true }).success).toBe(false);
});
