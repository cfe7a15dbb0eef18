/** The table of results in README.md, in which each run writes the rows of its slices. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Score } from './report.ts';
import { slices } from './slices.ts';

const path = join(import.meta.dirname, 'README.md');
const [begin, end] = ['<!-- results -->', '<!-- /results -->'];

export function writeResult(name: string, { total, noticed, percent, unlisted }: Score & { unlisted: number }): void {
  const text = readFileSync(path, 'utf8');
  const [head = '', rest = ''] = text.split(begin);
  const [table = '', tail = ''] = rest.split(end);
  const rows = new Map(
    table
      .split('\n')
      .map((line) => [line.split('|')[1]?.trim() ?? '', line] as const)
      .filter(([slice]) => slices.some((one) => one.name === slice)),
  );
  const date = new Date().toISOString().slice(0, 10);
  rows.set(name, `| ${name} | ${date} | ${total} | ${noticed} | ${percent} % | ${unlisted} |`);
  const lines = slices.flatMap((slice) => rows.get(slice.name) ?? []);
  const heading = ['| slice | date | changes | noticed | | not explained |', '|---|---|---|---|---|---|'];
  writeFileSync(path, [head, begin, '\n', [...heading, ...lines].join('\n'), '\n', end, tail].join(''));
}
