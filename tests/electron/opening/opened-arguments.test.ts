/** The single link or file among the arguments of a start. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { openedByArguments } from '../../../electron/opening/opened-arguments.ts';

const folder = resolve('/home/ada');
const opened = (...parameters: string[]) => openedByArguments(parameters, 'latchkey', folder);

it('finds the link wherever Chromium has put it', () => {
  const link = { kind: 'link', link: 'latchkey://lease' };
  expect(opened('latchkey://lease')).toEqual(link);
  expect(opened('.', '--allow-file-access', '--', 'latchkey://lease', '--hidden')).toEqual(link);
});

it('finds a lease file by its path or URL, relative to the folder of the caller', () => {
  const path = resolve(folder, 'Studio Mac.lease');
  expect(opened('Studio Mac.lease')).toEqual({ kind: 'file', path });
  expect(opened(path)).toEqual({ kind: 'file', path });
  expect(opened(pathToFileURL(path).href)).toEqual({ kind: 'file', path });
  expect(opened('BENCH.LEASE')).toEqual({ kind: 'file', path: resolve(folder, 'BENCH.LEASE') });
});

it('finds nothing in a normal start', () => {
  expect(opened('.', '--hidden', '--profile=x.lease', 'https://example.com/a.lease', 'notes.txt')).toBeNull();
});

it('opens none of several', () => {
  expect(opened('latchkey://lease', 'latchkey://open/devices')).toEqual({ kind: 'several' });
  expect(opened('latchkey://lease', 'a.lease')).toEqual({ kind: 'several' });
});
