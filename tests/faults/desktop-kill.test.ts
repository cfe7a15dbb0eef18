/** kill -9 of the desktop during writes: the profile is complete and readable, and nobody is signed out. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { afterAll, expect, it } from 'vitest';
import { childEnvironment, repository } from '../harness/environment.ts';
import { makeProfileFolder, StoredDesktop, StoredWorld } from './stored-desktop.ts';

const profile = makeProfileFolder();
afterAll(() => rmSync(profile, { recursive: true, force: true }));

const kills = 12;
let last = 0;

/** Kills the writer after a number of lines, and returns the number of the last change reported as stored. */
async function killAfter(lines: number, atWrite = 0): Promise<number> {
  const parameters = [
    '--import',
    `${repository}tests/harness/electron-shim.ts`,
    `${repository}tests/faults/desktop-writer.ts`,
  ];
  const writer: ChildProcess = spawn(process.execPath, [...parameters, profile, `${last + 1}`], {
    env: childEnvironment({ KILL_AT_WRITE: `${atWrite}` }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(writer, 'close');
  if (writer.stdout === null) throw new Error('The writer has no output.');
  let seen = 0;
  for await (const line of createInterface({ input: writer.stdout })) {
    last = Number(/^stored (\d+)$/.exec(line)?.[1] ?? last);
    if (++seen === lines) writer.kill('SIGKILL');
  }
  await closed;
  expect(writer.signalCode).toBe('SIGKILL');
  return last;
}

const numbers = Array.from({ length: kills }, (_, index) => index + 1);

it.each([
  ...numbers.map((number) => ({ when: `at a random moment (${number})`, atWrite: 0 })),
  ...numbers.map((number) => ({ when: `in the middle of write ${number}`, atWrite: number })),
])('a kill $when leaves a complete profile with everything that was stored', async ({ atWrite }) => {
  const stored = await killAfter(atWrite === 0 ? randomInt(1, 40) : Number.POSITIVE_INFINITY, atWrite);
  const world = new StoredWorld();
  world.goOffline();
  const desktop = await StoredDesktop.start(world, profile);
  const status = await desktop.status();
  expect(status).toMatchObject({ session: 'signed-in', license: { state: 'works' }, lease: { state: 'good' } });
  expect(status.store.unreadable).toEqual([]);
  const name = Number(/^Bench (\d+)$/.exec(status.device.name)?.[1] ?? 0);
  // A change that was not yet reported as stored may still be there.
  expect([stored, stored + 1]).toContain(name);
  last = name;
  await desktop.stop();
});
