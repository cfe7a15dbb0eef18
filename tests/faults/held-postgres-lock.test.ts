/**
 * Another session holds a PostgreSQL lock for a long time: writes that need it are refused in time, and resume after
 * it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deadlineMs } from '../../server/deadline.ts';
import { startHttpServer } from '../harness/http-server.ts';
import { findPostgres, lockWaits, query } from '../harness/postgres.ts';
import { sharedPostgres } from '../harness/shared-postgres.ts';
import { createAdmin } from '../harness/test-admin.ts';
import { stringIn } from '../harness/test-client.ts';
import { subscriber } from '../harness/users.ts';

const lockedMs = 12_000;
const intervalMs = 50;
/** More than run concurrently, and fewer than together with the slow ones. */
const manyWrites = 10;
const writesAtOnce = 6;
/** Allowance for a machine that is busy with other tests. */
const toleranceMs = 60_000;

describe.skipIf(findPostgres() === undefined)('while another session holds a lock', () => {
  const postgres = sharedPostgres();

  it.each([
    ['the row of an account', 'select id from users for update'],
    ['a table', 'lock table api_keys in exclusive mode'],
  ])('on %s, writes are refused in time, reads work, and nothing refused is carried out', async (_, statement) => {
    const url = await postgres.createDatabase();
    const server = await startHttpServer(createAdmin({ DATABASE_URL: url }));
    const { token } = await subscriber(server);
    const regenerate = async () => {
      const startedMs = performance.now();
      const { status, headers, body } = await server.call('apiKey', { token, body: { regenerate: true } });
      return { status, retryAfter: headers.get('retry-after'), body, tookMs: performance.now() - startedMs };
    };
    const validate = async (key: string) => await server.call('validateApiKey', { body: { api_key: key } });
    const key = stringIn((await regenerate()).body, 'api_key');

    const holder = new Client({ connectionString: url });
    await holder.connect();
    onTestFinished(() => holder.end());
    await holder.query(`begin; ${statement}`);
    const writes: ReturnType<typeof regenerate>[] = [];
    const untilMs = performance.now() + lockedMs;
    while (performance.now() < untilMs) {
      writes.push(regenerate());
      await sleep(intervalMs);
    }
    expect((await validate(key)).body).toMatchObject({ valid: true });
    const refused = await Promise.all(writes);
    for (const { status, retryAfter, body, tookMs } of refused) {
      expect(status).toBe(503);
      expect(body.code).toBe('SERVICE_UNAVAILABLE');
      expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
      expect(tookMs).toBeLessThan(deadlineMs + toleranceMs);
    }
    expect((await validate(key)).body).toMatchObject({ valid: true });

    await holder.query('rollback');
    await expect.poll(async () => (await regenerate()).status).toBe(200);
    const { body } = await regenerate();
    expect((await validate(stringIn(body, 'api_key'))).body).toMatchObject({ valid: true });
    expect((await validate(key)).body).toMatchObject({ valid: false });
  });

  it('on the row of an account, writes of other accounts do not wait until those of this one are refused', async () => {
    const url = await postgres.createDatabase();
    const server = await startHttpServer(createAdmin({ DATABASE_URL: url }));
    const [{ token, id }, other] = [await subscriber(server), await subscriber(server)];
    const regenerate = (of: string) => server.call('apiKey', { token: of, body: { regenerate: true } });
    await regenerate(token);
    await regenerate(other.token);
    const holder = new Client({ connectionString: url });
    await holder.connect();
    onTestFinished(() => holder.end());
    await holder.query('begin');
    await holder.query('select id from users where id = $1 for update', [id]);

    let settled = 0;
    const waiting = Array.from({ length: manyWrites }, () => regenerate(token).finally(() => settled++));
    await expect.poll(async () => (await query(url, lockWaits)).length).toBeGreaterThanOrEqual(writesAtOnce);
    expect((await regenerate(other.token)).status).toBe(200);
    expect(settled).toBe(0);
    await holder.query('rollback');
    await Promise.all(waiting);
  });
});
