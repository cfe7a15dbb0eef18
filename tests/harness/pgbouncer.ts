/** A PgBouncer in transaction mode in front of a test PostgreSQL, if installed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { freePort } from './free-port.ts';
import { postgresOwner, query } from './postgres.ts';
import { temporaryFolder } from './test-admin.ts';

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
  // Like PostgreSQL, it refuses to run as root.
  const bouncer = spawn(program, ['--quiet', settings], { ...postgresOwner(), stdio: 'ignore' });
  onTestFinished(async () => {
    bouncer.kill('SIGKILL');
    if (bouncer.exitCode === null && bouncer.signalCode === null) await once(bouncer, 'close');
  });
  const through = `postgres://${username}@127.0.0.1:${port}${pathname}`;
  await expect.poll(() => query(through, 'select 1 as one').catch(String)).toEqual([{ one: 1 }]);
  return through;
}
