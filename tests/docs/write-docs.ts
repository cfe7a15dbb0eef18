/** `npm run docs`: writes the generated sections of every document again. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { documents } from './documents.ts';
import { writeSections } from './generated-sections.ts';

const root = join(import.meta.dirname, '../..');

for (const [path, sections] of Object.entries(documents)) {
  const file = join(root, path);
  writeFileSync(file, writeSections(readFileSync(file, 'utf8'), sections));
  console.log(`wrote ${path}`);
}
