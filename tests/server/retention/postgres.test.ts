/** Retention on PostgreSQL: every kind of record is deleted there too, by one process at a time. */
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AuditLogService } from '../../../server/audit/audit-log.service.ts';
import { AuditRetentionService } from '../../../server/audit/audit-retention.service.ts';
import type { Database, Transaction } from '../../../server/database/database.ts';
import { openPostgres } from '../../../server/database/postgres-database.ts';
import { deleteEndedBefore } from '../../../server/retention/retention.repository.ts';
import { retainedKinds } from '../../../server/retention/retention.rules.ts';
import { RetentionJob } from '../../../server/retention/retention-job.ts';
import { systemScheduler } from '../../../server/scheduler.ts';
import { systemRandom } from '../../../server/system-random.ts';
import { createFakeClock, day, hour } from '../../harness/fake-clock.ts';
import { fixedSecrets } from '../../harness/fixed-secrets.ts';
import { findPostgres } from '../../harness/postgres.ts';
import { sharedPostgres } from '../../harness/shared-postgres.ts';

const programs = findPostgres();

describe.skipIf(programs === undefined)('retention on PostgreSQL', () => {
  const postgres = sharedPostgres();

  const clock = createFakeClock();
  const logger = pino({ level: 'silent' });
  const open = async (url: string): Promise<Database> => {
    const database = await openPostgres(url, clock);
    onTestFinished(() => database.close());
    return database;
  };

  it('deletes each kind, one process at a time', async () => {
    const url = await postgres.createDatabase();
    const databases = [await open(url), await open(url)];
    const [first] = databases;
    if (!first) throw new Error('there are two');
    for (const kind of retainedKinds) {
      const deleted = await first.write((transaction) =>
        deleteEndedBefore(transaction, { kind, beforeMs: clock.now(), limit: 10 }),
      );
      expect(deleted).toBe(0);
    }
    const jobs = databases.map((database) => {
      const deps = { database, clock, random: systemRandom, scheduler: systemScheduler, secrets: fixedSecrets };
      const auditRetention = new AuditRetentionService({
        ...deps,
        auditLog: new AuditLogService(deps),
      });
      return new RetentionJob({ ...deps, auditRetention, logger, historyMs: 365 * day });
    });
    const runFor = async (milliseconds: number): Promise<unknown[]> => {
      const total: unknown[] = [];
      for (let passed = 0; passed < milliseconds; passed += hour) {
        clock.advance(hour);
        total.push(...(await Promise.all(jobs.map((job) => job.run()))));
      }
      return total;
    };
    // The first run is on a database without users.
    await runFor(8 * hour);
    await first.write(async (transaction) => {
      const at = clock.now();
      const user = {
        id: 'u',
        email: 'a@b.c',
        email_key: 'a@b.c',
        full_name: '',
        password_hash: '',
      } as const;
      await transaction
        .insertInto('users')
        .values({ ...user, created_at_ms: at, password_changed_at_ms: at })
        .execute();
      await insertSession(transaction, at);
      const seen = {
        user_id: 'u',
        network: 'n',
        instance: '',
        returns: 0,
        first_seen_at_ms: at,
        last_seen_at_ms: at,
        heartbeats: 1,
      };
      const rows = Array.from({ length: 450 }, (_, index) => ({ ...seen, device_id: String(index) }));
      await transaction.insertInto('device_activity').values(rows).execute();
    });
    const total = await runFor(2 * day);
    expect(total.filter((deleted) => Object.keys(deleted as object).length > 0)).toEqual([
      { used_refresh_tokens: 300, device_activity: 450 },
    ]);
    const left = await first.read.selectFrom('refresh_tokens').select('token_hash').orderBy('token_hash').execute();
    expect(left).toEqual([{ token_hash: 'repeatable' }, { token_hash: 'unused' }]);
  });
});

/** Inserts 300 used tokens, one whose successor can be issued again, and one unused token, which all expire now. */
async function insertSession(transaction: Transaction, at: number): Promise<void> {
  const times = { created_at_ms: at, expires_at_ms: at };
  await transaction
    .insertInto('sessions')
    .values({ ...times, id: 'f', user_id: 'u', revoked_at_ms: null })
    .execute();
  const unused = { ...times, session_id: 'f', used_at_ms: null, successor_hash: null, idempotency_key_hash: null };
  const used = { ...unused, used_at_ms: at, successor_hash: 'c', encrypted_successor: null };
  const rows = [
    ...Array.from({ length: 300 }, (_, index) => ({ ...used, token_hash: String(index) })),
    { ...used, token_hash: 'repeatable', idempotency_key_hash: 'k', encrypted_successor: 's' },
    { ...unused, token_hash: 'unused', encrypted_successor: null },
  ];
  await transaction.insertInto('refresh_tokens').values(rows).execute();
}
