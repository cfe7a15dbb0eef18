/** The drawing in server/README.md shows the actual imports, which follow the order of the layers. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readImports } from '../../electron/release/imports.ts';
import { drawServer, pictureOf } from './draw-server.ts';
import { importsOfParts, parts } from './server-layers.ts';

const root = join(import.meta.dirname, '../..');

it.each(['light', 'dark'] as const)('the %s drawing is current (npm run docs writes it)', (theme) => {
  expect(readFileSync(join(root, pictureOf(theme)), 'utf8')).toBe(drawServer(theme));
});

it('imports only go down the layers', () => {
  const up = importsOfParts(readImports(root)).filter(({ from, to }) => parts.indexOf(to) < parts.indexOf(from));
  expect(up.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
});

it('a folder that is in no layer is an error', () => {
  const imports = [{ file: 'server/new-folder/a.ts', target: 'server/clock.ts', typeOnly: false }];
  expect(() => importsOfParts(imports)).toThrow('server/new-folder/a.ts');
});
