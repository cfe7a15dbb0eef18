/** Folders are created only by `createFolder`: Node's recursive `mkdir` never returns for a new folder in /proc. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

it('no other code creates folders recursively', () => {
  const files = globSync(['server/**/*.ts', 'electron/**/*.{ts,mjs}'], { cwd: root });
  const isRecursive = (file: string) => /mkdir\w*\([^;]*recursive: true/.test(readFileSync(join(root, file), 'utf8'));
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter(isRecursive)).toEqual([]);
});
