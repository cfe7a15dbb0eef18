/** Two processes on one folder would sign each other out, so the second one is refused. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, renameSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { lockFolder } from '../../../electron/package/lock-folder.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const source = pathToFileURL(join(import.meta.dirname, '../../../electron/package/lock-folder.ts')).href;

/** Starts another process that runs the code with `lockFolder` and `folder`. */
function runElsewhere(folder: string, code: string) {
  const program = `const { lockFolder } = await import(${JSON.stringify(source)});
    const folder = ${JSON.stringify(folder)};
    ${code}`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Starts another process that locks the folder and keeps running; resolves with whether it has the lock. */
async function lockElsewhere(folder: string): Promise<{ readonly isLocked: boolean; readonly process: ChildProcess }> {
  const child = runElsewhere(folder, 'console.log((await lockFolder(folder)) !== null); setInterval(() => {}, 1000);');
  const [printed] = await once(child.stdout, 'data');
  return { isLocked: String(printed).trim() === 'true', process: child };
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path, () => {
      socket.destroy();
      resolve(true);
    }).once('error', () => resolve(false));
  });
}

it('a folder that another process uses is refused until that process ends, even if it is killed', async () => {
  const folder = temporaryFolder();
  const first = await lockElsewhere(folder);
  expect(first.isLocked).toBe(true);
  expect(await lockFolder(folder)).toBeNull();
  first.process.kill('SIGKILL');
  await once(first.process, 'exit');
  expect(await lockFolder(folder)).not.toBeNull();
  expect((await lockElsewhere(folder)).isLocked).toBe(false);
});

it('only one of two processes that start at once gets the folder', async () => {
  const folder = temporaryFolder();
  const both = await Promise.all([lockElsewhere(folder), lockElsewhere(folder)]);
  expect(both.filter(({ isLocked }) => isLocked)).toHaveLength(1);
});

it('of two processes that find the socket of a crashed one at once, only the last to replace it gets the folder', async () => {
  const folder = temporaryFolder();
  const crashed = await lockElsewhere(folder);
  crashed.process.kill('SIGKILL');
  await once(crashed.process, 'exit');
  const [path, later] = [join(folder, 'control.sock'), join(folder, 'later.sock')];
  const other = createServer();
  onTestFinished(() => void other.close());
  await once(other.listen(later), 'listening');
  const locking = lockFolder(folder);
  while (!(await answers(path)));
  renameSync(later, path);
  expect(await locking).toBeNull();
});

it('a process that ends before it knows whether it has the folder leaves the folder to the one that has it', async () => {
  const folder = temporaryFolder();
  expect((await lockElsewhere(folder)).isLocked).toBe(true);
  await once(runElsewhere(folder, 'void lockFolder(folder); process.exit();'), 'exit');
  expect((await lockElsewhere(folder)).isLocked).toBe(false);
});

it('every attempt of a process is refused while another process uses the folder', async () => {
  const folder = temporaryFolder();
  await lockElsewhere(folder);
  expect(await Promise.all([lockFolder(folder), lockFolder(folder)])).toEqual([null, null]);
});

it('a process may open its own folder again', async () => {
  const folder = temporaryFolder();
  expect(await lockFolder(folder)).not.toBeNull();
  expect(await lockFolder(folder)).not.toBeNull();
});

it('no process is refused if no socket can be created', async () => {
  const folder = join(temporaryFolder(), 'not there');
  expect(existsSync(folder)).toBe(false);
  expect(await lockFolder(folder)).not.toBeNull();
});
