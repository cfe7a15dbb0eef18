/** Two processes on one folder would sign each other out, so the second one is refused. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { lockFolder } from '../../../electron/package/lock-folder.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const source = pathToFileURL(join(import.meta.dirname, '../../../electron/package/lock-folder.ts')).href;

/** Starts another process that locks the folder and keeps running; resolves with whether it has the lock. */
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

it('a folder that another process uses is refused until that process ends, even if it is killed', async () => {
  const folder = temporaryFolder();
  const first = await lockElsewhere(folder);
  expect(first.isLocked).toBe(true);
  expect(await lockFolder(folder)).toBe(false);
  first.process.kill('SIGKILL');
  await once(first.process, 'exit');
  expect(await lockFolder(folder)).toBe(true);
  expect((await lockElsewhere(folder)).isLocked).toBe(false);
});

it('only one of two processes that start at once gets the folder', async () => {
  const folder = temporaryFolder();
  const both = await Promise.all([lockElsewhere(folder), lockElsewhere(folder)]);
  expect(both.filter(({ isLocked }) => isLocked)).toHaveLength(1);
});

it('a process may open its own folder again', async () => {
  const folder = temporaryFolder();
  expect(await lockFolder(folder)).toBe(true);
  expect(await lockFolder(folder)).toBe(true);
});

it('no process is refused if no socket can be created', async () => {
  const folder = join(temporaryFolder(), 'not there');
  expect(existsSync(folder)).toBe(false);
  expect(await lockFolder(folder)).toBe(true);
});
