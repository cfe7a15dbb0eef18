/** Two processes on one folder would sign each other out, so that the second one is refused. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { lockFolder } from '../../../electron/package/lock-folder.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const source = pathToFileURL(join(import.meta.dirname, '../../../electron/package/lock-folder.ts')).href;

/** Another process that locks the folder and stays; says whether it has the lock. */
async function lockElsewhere(folder: string): Promise<{ readonly isLocked: boolean; readonly process: ChildProcess }> {
  const code = `const { lockFolder } = await import(${JSON.stringify(source)});
    console.log(await lockFolder(${JSON.stringify(folder)}));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [printed] = await once(child.stdout, 'data');
  return { isLocked: String(printed).trim() === 'true', process: child };
}

it('a folder that another process uses is refused until that one has ended, however it ends', async () => {
  const folder = temporaryFolder();
  const first = await lockElsewhere(folder);
  expect(first.isLocked).toBe(true);
  expect(await lockFolder(folder)).toBe(false);
  first.process.kill('SIGKILL');
  await once(first.process, 'exit');
  expect(await lockFolder(folder)).toBe(true);
  expect((await lockElsewhere(folder)).isLocked).toBe(false);
});

it('of two processes that start at once, one has the folder', async () => {
  const folder = temporaryFolder();
  const both = await Promise.all([lockElsewhere(folder), lockElsewhere(folder)]);
  expect(both.filter(({ isLocked }) => isLocked)).toHaveLength(1);
});

it('the same process may open its folder again', async () => {
  const folder = temporaryFolder();
  expect(await lockFolder(folder)).toBe(true);
  expect(await lockFolder(folder)).toBe(true);
});

it('where no socket can be made, nobody is kept out', async () => {
  const folder = join(temporaryFolder(), 'not there');
  expect(existsSync(folder)).toBe(false);
  expect(await lockFolder(folder)).toBe(true);
});
