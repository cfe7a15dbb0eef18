/** Every explanation in `equivalent.ts` refers to an existing line. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { equivalents } from './equivalent.ts';

const root = resolve(import.meta.dirname, '../..');

it.each(Object.entries(Object.groupBy(equivalents, ({ file }) => file)))(
  '%s has each line whose changes are said to make no difference',
  (file, ofFile = []) => {
    const lines = new Set(
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .map((line) => line.trim()),
    );
    expect(ofFile.map(({ source }) => source).filter((source) => !lines.has(source))).toEqual([]);
  },
);
