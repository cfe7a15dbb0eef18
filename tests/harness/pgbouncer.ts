/** A PgBouncer in transaction mode in front of a test PostgreSQL, if installed. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { freePort } from './free-port.ts';
import { query } from './postgres.ts';
import { temporaryFolder } from './test-admin.ts';

/** Returns the path of the program; `undefined` if it is not installed. */
export function findPgbouncer(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return folders.map((folder) => join(folder, 'pgbouncer')).find((path) => existsSync(path));
}

/**
 * Starts PgBouncer with `poolSize` connections to PostgreSQL, and stops it when the test
 * ends. Returns the URL through it.
 */
export async function startPgbouncer(program: string, url: string, poolSize: number): Promise<string> {
  const { hostname, port: serverPort, username, pathname } = new URL(url);
  const folder = temporaryFolder();
  const port = await freePort();
  const users = join(folder, 'users.txt');
  const settings = join(folder, 'pgbouncer.ini');
  writeFileSync(users, `"${username}" ""\n`);
  writeFileSync(
    settings,
    `[databases]
* = host=${hostname} port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${poolSize}
`,
  );
  for (const [path, mode] of [
    [folder, 0o755],
    [users, 0o644],
    [settings, 0o644],
  ] as const) {
    chmodSync(path, mode);
  }
  const bouncer = spawn(program, ['--quiet', settings], { ...unprivileged(), stdio: 'ignore' });
  onTestFinished(async () => {
    bouncer.kill('SIGKILL');
    if (bouncer.exitCode === null && bouncer.signalCode === null) await once(bouncer, 'close');
  });
  const through = `postgres://${username}@127.0.0.1:${port}${pathname}`;
  await expect.poll(() => query(through, 'select 1 as one').catch(String)).toEqual([{ one: 1 }]);
  return through;
}

/** Returns another user for PgBouncer if this process runs as root, because it refuses to run as root. */
function unprivileged(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
