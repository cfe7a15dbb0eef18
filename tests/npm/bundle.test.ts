/** The server bundle of `npm run build` behaves like the sources. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { createBuilder } from 'vite';
import { beforeAll, describe, expect, it } from 'vitest';
import { childEnvironment, repository } from '../harness/environment.ts';
import { startServer } from '../harness/start-server.ts';
import { temporaryFolder } from '../harness/test-admin.ts';

// In the repository, where the bundle finds the native library that it does not contain.
const folder = join(repository, '.cache/bundle-test');
const buildTimeoutMs = 60_000;

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  const environments = { server: { build: { outDir: folder } } };
  const builder = await createBuilder({
    configFile: join(repository, 'vite.config.ts'),
    environments,
    logLevel: 'warn',
  });
  const server = builder.environments.server;
  if (!server) throw new Error('vite.config.ts has no environment for the server');
  await builder.build(server);
}, buildTimeoutMs);

describe('the bundle', () => {
  it.each([[[]], [['--workers', '2']]])('serves accounts %s', async (args) => {
    const settings = { LATCHKEY_DATA: temporaryFolder() };
    const server = await startServer(settings, { program: join(folder, 'main.js'), args });
    const account = { email: 'ada@example.com', password: 'a fine passphrase', full_name: 'Ada' };
    const response = await fetch(`${server.url}/api/v1/auth/signup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(account),
    });
    expect(await response.json()).toMatchObject({ user: { email: 'ada@example.com' } });
    expect(await server.stop()).toEqual({ code: 0, signal: null });
  });

  it('includes the checkpoint thread', async () => {
    const path = join(temporaryFolder(), 'latchkey.db');
    const connection = new DatabaseSync(path);
    connection.exec('pragma journal_mode = wal; create table t (a)');
    const thread = new Worker(join(folder, 'checkpoint-thread.js'), { workerData: path, execArgv: [] });
    thread.postMessage('checkpoint');
    expect(await once(thread, 'message')).toEqual([{ isComplete: true }]);
    await thread.terminate();
    connection.close();
  });

  it('runs admin commands, including a backup', () => {
    const settings = { LATCHKEY_DATA: temporaryFolder() };
    const admin = (...words: string[]) => {
      const child = spawnSync(process.execPath, [join(folder, 'admin.js'), ...words, '--json'], {
        env: childEnvironment(settings),
        encoding: 'utf8',
      });
      expect(child.stderr).toBe('');
      return JSON.parse(child.stdout);
    };
    expect(admin('plan', 'list')).toHaveLength(3);
    expect(admin('backup', join(temporaryFolder(), 'backup.tar'))).toMatchObject({ database: 'sqlite' });
    expect(admin('check')).toMatchObject({ ok: true });
  });
});
