/** PostgreSQL behind PgBouncer in transaction mode, where each transaction may use a different session. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { openPostgres } from '../../../server/database/postgres-database.ts';
import { prepareQuery } from '../../../server/database/prepared-query.ts';
import { Admin } from '../../harness/admin.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';
import { findProgram } from '../../harness/find-program.ts';
import { startHttpServer } from '../../harness/http-server.ts';
import { startPgbouncer } from '../../harness/pgbouncer.ts';
import { findPostgres } from '../../harness/postgres.ts';
import { sharedPostgres } from '../../harness/shared-postgres.ts';
import { temporaryFolder } from '../../harness/test-admin.ts';
import { stringIn } from '../../harness/test-client.ts';
import { activateInTime, inTime, issueLicense, newDeviceId, signUp, subscriber } from '../../harness/users.ts';

const [programs, bouncer] = [findPostgres(), findProgram('pgbouncer')];
const isInstalled = programs !== undefined && bouncer !== undefined;

describe.skipIf(!isInstalled)('behind a PgBouncer in transaction mode', () => {
  const postgres = sharedPostgres();

  /** Starts PgBouncer with fewer sessions than the servers have connections, so that sessions are shared. */
  const start = async () => startPgbouncer(bouncer ?? '', await postgres.createDatabase(), 3);

  it('prepared queries and transactions work, from several processes at once', async () => {
    const url = await start();
    const databases = await Promise.all(
      [1, 2, 3].map(async () => {
        const database = await openPostgres(url, createFakeClock());
        onTestFinished(() => database.close());
        return database;
      }),
    );
    const queries = ['a', 'b', 'c', 'd'].map((name) =>
      prepareQuery((executor, { value }: { value: string }) =>
        executor.selectFrom('meta').select('value').where('name', '=', name).where('value', '=', value),
      ),
    );
    await databases[0]?.write((transaction) =>
      transaction
        .insertInto('meta')
        .values(['a', 'b', 'c', 'd'].map((name) => ({ name, value: name })))
        .execute(),
    );
    const rows = await Promise.all(
      Array.from({ length: 400 }, async (_, index) => {
        const database = databases[index % 3];
        const [find, value] = [queries[index % 4], 'abcd'[index % 4] ?? ''];
        if (index % 5 !== 0) return database && find?.first(database.read, { value });
        return database?.write(async (transaction) => {
          await find?.all(transaction, { value });
          return find?.first(transaction, { value });
        });
      }),
    );
    expect(rows).toEqual(Array.from({ length: 400 }, (_, index) => ({ value: 'abcd'[index % 4] })));
  });

  it('two servers work together and never activate too many devices', async () => {
    const admin = new Admin(temporaryFolder(), { DATABASE_URL: await start() });
    const servers = [await startHttpServer(admin), await startHttpServer(admin)] as const;
    const user = await subscriber(servers[0], 'advanced');
    const { key } = await issueLicense(servers[0], '--email', user.email, '--max-activations', '5');
    const all = await Promise.all(
      Array.from({ length: 60 }, (_, index) => activateInTime(servers[index % 2 === 0 ? 0 : 1], user, key)),
    );
    expect(all.filter(({ response }) => response.status === 200)).toHaveLength(5);
    expect(all.filter(({ response }) => response.body.code === 'MAX_ACTIVATIONS_REACHED')).toHaveLength(55);
    const others = await Promise.all(
      Array.from({ length: 60 }, (_, index) => {
        const server = servers[index % 2 === 0 ? 0 : 1];
        const { token } = user;
        if (index % 3 === 0) return inTime(() => server.call('subscriptionStatus', { token }));
        if (index % 3 === 1) return inTime(() => server.call('apiKey', { token, body: { regenerate: true } }));
        return inTime(() => server.call('heartbeat', { token, body: { device_id: newDeviceId() } }));
      }),
    );
    expect(others.map(({ status }) => status)).toEqual(Array(60).fill(200));
    const { refreshToken } = await signUp(servers[1]);
    expect((await servers[0].call('refresh', { body: { refresh_token: refreshToken } })).status).toBe(200);
  });

  it('accounts are not cached, since changes are not announced', async () => {
    const admin = new Admin(temporaryFolder(), { DATABASE_URL: await start() });
    const servers = [await startHttpServer(admin), await startHttpServer(admin)] as const;
    const user = await subscriber(servers[0]);
    let key = stringIn((await servers[0].call('apiKey', { token: user.token })).body, 'api_key');
    for (let times = 0; times < 20; times++) {
      for (const server of servers) {
        expect((await server.call('validateApiKey', { body: { api_key: key } })).body.valid).toBe(true);
      }
      const { body } = await servers[0].call('apiKey', { token: user.token, body: { regenerate: true } });
      expect((await servers[1].call('validateApiKey', { body: { api_key: key } })).body.valid).toBe(false);
      key = stringIn(body, 'api_key');
    }
  });
});
