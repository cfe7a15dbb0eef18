/** `check` reports a data folder that cannot be written to, and a disk that is full or nearly full. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findDataFolderProblems, findSpaceWarnings } from '../../../server/backup/data-folder.ts';
import { readConfig } from '../../../server/settings/config.ts';
import { temporaryFolder } from '../../harness/test-admin.ts';

const mebibyte = 1024 * 1024;

it('a full disk of the data is a problem, except with PostgreSQL, which has its data elsewhere', () => {
  const folder = temporaryFolder();
  const config = readConfig({ LATCHKEY_DATA: folder });
  expect(findDataFolderProblems(config, mebibyte)).toEqual([]);
  expect(findDataFolderProblems(config, mebibyte - 1)).toEqual([
    `the disk of LATCHKEY_DATA ${folder} is full: free some space`,
  ]);
  const onPostgres = readConfig({ LATCHKEY_DATA: folder, DATABASE_URL: 'postgres://u@127.0.0.1/db' });
  expect(findDataFolderProblems(onPostgres, 0)).toEqual([]);
});

it('a data folder that cannot be written to is a problem with its reason', () => {
  const file = join(temporaryFolder(), 'data');
  writeFileSync(file, '');
  expect(findDataFolderProblems(readConfig({ LATCHKEY_DATA: file }), Infinity)).toEqual([
    `nothing can be written to LATCHKEY_DATA ${file}: ${file} is not a folder`,
  ]);
});

it('a disk with too little space for a backup, or less than 100 MiB, is a warning', () => {
  const config = readConfig({ LATCHKEY_DATA: temporaryFolder() });
  expect(findSpaceWarnings(config, 0, 100 * mebibyte)).toEqual([]);
  expect(findSpaceWarnings(config, 0, 99.5 * mebibyte)).toEqual([expect.stringContaining('only 99 MiB are free')]);
  expect(findSpaceWarnings(config, 500 * mebibyte, 1000 * mebibyte)).toEqual([]);
  expect(findSpaceWarnings(config, 500 * mebibyte, 999 * mebibyte)).toHaveLength(1);
});
