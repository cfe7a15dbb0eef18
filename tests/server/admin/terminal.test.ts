/** What strangers have written must not control the terminal of whoever runs a command. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createAdmin } from '../../harness/test-admin.ts';

/** CSI with one and with two characters, and a reversal of the direction. */
const hostile = 'Eve\u009b2J\u001b[31m\u202e';

const isSafe = (text: string) => !/[^\P{Cc}\n]|\u202e/u.test(text);

it.each(['--json', 'text'])('a name with control characters is printed with them escaped (%s)', async (form) => {
  const admin = createAdmin();
  const words = form === '--json' ? ['--json'] : [];
  const create = ['user', 'create', '--email', 'eve@example.com', '--password-stdin', '--full-name', hostile];
  await admin.json(create, 'a fine passphrase');
  for (const command of [
    ['user', 'list'],
    ['user', 'show', 'eve@example.com'],
  ]) {
    const { code, stdout } = await admin.runHere([...command, ...words]);
    expect([code, isSafe(stdout)]).toStrictEqual([0, true]);
    expect(stdout).toContain('Eve\\u009b2J');
    if (form === '--json') expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(hostile).slice(1, -1));
  }
});

it.each(['--json', 'text'])('a failure that quotes a file escapes its control characters (%s)', async (form) => {
  const admin = createAdmin();
  const file = join(admin.folder, 'import.csv');
  writeFileSync(file, `email,${hostile}\n`);
  const { code, stderr } = await admin.runHere(['import', 'accounts', file, ...(form === '--json' ? [form] : [])]);
  expect([code, isSafe(stderr)]).toStrictEqual([1, true]);
  expect(stderr).toContain('unknown column');
});
