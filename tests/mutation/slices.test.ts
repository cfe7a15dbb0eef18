/** The slices cover the code without overlap, and all of their tests exist. */
import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { slices } from './slices.ts';

const cwd = resolve(import.meta.dirname, '../..');

/** Returns the files of these globs, with `!` before excluded ones. */
function findFiles(globs: readonly string[]): string[] {
  const exclude = globs.flatMap((glob) => (glob.startsWith('!') ? glob.slice(1) : []));
  return globSync(
    globs.filter((glob) => !glob.startsWith('!')),
    { cwd, exclude },
  );
}

const mutated = slices.flatMap(({ mutate }) => findFiles(mutate)).toSorted();

it('no file is in two slices', () => {
  expect(mutated).toEqual([...new Set(mutated)]);
});

it.each(['server/auth', 'server/billing', 'electron/licensing'])('each file of %s is in a slice', (folder) => {
  const files = findFiles([`${folder}/*.ts`, '!**/*.d.ts']);
  expect(files.filter((file) => !mutated.includes(file))).toEqual([]);
});

it.each(slices)('each file and each test that the slice $name lists exists', ({ mutate, tests }) => {
  const listed = [...mutate, ...tests].filter((glob) => !glob.startsWith('!'));
  expect(listed.filter((glob) => findFiles([glob]).length === 0)).toEqual([]);
});
