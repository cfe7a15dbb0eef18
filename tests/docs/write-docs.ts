/** `npm run docs`: rewrites the generated sections of every document, and the drawing of the server's imports. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawServer, pictureOf } from '../structure/draw-server.ts';
import { documents } from './documents.ts';
import { writeSections } from './generated-sections.ts';

const root = join(import.meta.dirname, '../..');

for (const [path, sections] of Object.entries(documents)) {
  const file = join(root, path);
  writeFileSync(file, writeSections(readFileSync(file, 'utf8'), sections));
  console.log(`wrote ${path}`);
}

for (const theme of ['light', 'dark'] as const) {
  writeFileSync(join(root, pictureOf(theme)), drawServer(theme));
  console.log(`wrote ${pictureOf(theme)}`);
}
