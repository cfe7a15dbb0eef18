/** The matrix of faults is complete: each row has its tests, and a line in the table. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repository } from '../harness/environment.ts';
import { rows } from './matrix.ts';

it('has the rows 1 to 22, each with what must hold', () => {
  expect(rows.map(({ number }) => number)).toStrictEqual(Array.from({ length: 22 }, (_, index) => index + 1));
  for (const { holds, amounts } of rows) {
    expect(holds).toMatch(/./);
    if (amounts) expect(amounts.long).toBeGreaterThanOrEqual(amounts.short);
    if (amounts?.quick !== undefined) expect(amounts.quick).toBeLessThan(amounts.short);
  }
});

it.each(rows)(
  'row $number has tests that exist, and the first of them reports its figures',
  ({ number, files, planted }) => {
    for (const file of files) expect(existsSync(join(repository, file)), file).toBe(true);
    const text = readFileSync(join(repository, files[0] ?? ''), 'utf8');
    expect(text).toMatch(new RegExp(`const row = ${number};`));
    const document = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8');
    if (planted !== null) expect(document).toContain(`| ${number} | ${planted} |`);
  },
);
