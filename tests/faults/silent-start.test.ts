/** PostgreSQL stops responding while the server starts or an admin command runs: both exit and say why. */
import { describe, expect, it } from 'vitest';
import { limitsOff } from '../harness/environment.ts';
import { findPostgres } from '../harness/postgres.ts';
import { sharedPostgres } from '../harness/shared-postgres.ts';
import { runUntilExit } from '../harness/start-server.ts';
import { TcpProxy } from '../harness/tcp-proxy.ts';
import { createAdmin } from '../harness/test-admin.ts';

/**
 * Numbers of database packets after which it stops: before and during the connection, and between the first queries.
 */
const packets = [0, 1, 3];

describe.skipIf(findPostgres() === undefined)('a PostgreSQL server that stops responding', () => {
  const postgres = sharedPostgres();

  const silentAfter = async (count: number) => {
    const url = await postgres.createDatabase();
    const admin = createAdmin({ DATABASE_URL: url });
    await admin.createUser('somebody@example.com');
    const proxy = await TcpProxy.start(Number(new URL(url).port));
    proxy.blockAfter(count);
    return createAdmin({ DATABASE_URL: proxy.through(url) }, admin.folder);
  };

  it.each(packets)('after %i packets prevents the server from starting', async (count) => {
    const { settings } = await silentAfter(count);
    const { code, stdout, stderr } = await runUntilExit({ ...limitsOff, ...settings });
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^cannot start: .*database.* cannot be used .*\((?:.*did not respond.*|.*timeout.*)\)\n$/i);
  });

  it.each(packets)('after %i packets makes an admin command fail', async (count) => {
    const admin = await silentAfter(count);
    const { code, stdout, stderr } = await admin.run(['user', 'list', '--json']);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(JSON.parse(stderr)).toStrictEqual({
      error: expect.stringMatching(/cannot be used .*(?:did not respond|timeout)/),
      code: expect.stringMatching(/^(?:CANNOT_START|SERVICE_UNAVAILABLE)$/),
    });
  });
});
