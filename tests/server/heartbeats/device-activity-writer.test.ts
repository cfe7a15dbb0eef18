/** Device activity that arrives together is written together, and each caller gets its own outcome. */
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ActivationService } from '../../../server/activations/activation.service.ts';
import { AuditLogService } from '../../../server/audit/audit-log.service.ts';
import type { Database } from '../../../server/database/database.ts';
import { isConstraintViolation } from '../../../server/database/database-errors.ts';
import { openPostgres } from '../../../server/database/postgres-database.ts';
import { openSqlite } from '../../../server/database/sqlite-database.ts';
import { Deadline, DeadlineExceeded, runWithDeadline } from '../../../server/deadline.ts';
import { DeviceActivityWriter } from '../../../server/heartbeats/device-activity-writer.ts';
import { systemScheduler } from '../../../server/scheduler.ts';
import { systemRandom } from '../../../server/system-random.ts';
import { EventOutbox } from '../../../server/webhooks/event-outbox.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';
import { findPostgres } from '../../harness/postgres.ts';
import { sharedPostgres } from '../../harness/shared-postgres.ts';
import { temporaryFolder } from '../../harness/test-admin.ts';

const clock = createFakeClock();
const network = '192.0.2.0/24';
const seen = { network, instance: 'i', isActivated: true, hasSeveralInstallations: false };

function createWriter(database: Database): DeviceActivityWriter {
  const basics = { database, clock, random: systemRandom, scheduler: systemScheduler };
  const deps = { ...basics, auditLog: new AuditLogService(basics), outbox: new EventOutbox(basics) };
  return new DeviceActivityWriter({
    ...deps,
    activations: new ActivationService(deps),
  });
}

async function addUser(database: Database, id: string): Promise<void> {
  const user = { id, email: id, email_key: id, full_name: '', password_hash: '' } as const;
  await database.write((transaction) =>
    transaction
      .insertInto('users')
      .values({ ...user, created_at_ms: 0, password_changed_at_ms: 0 })
      .execute(),
  );
}

const readActivity = (database: Database) =>
  database.read.selectFrom('device_activity').select(['device_id', 'heartbeats']).orderBy('device_id').execute();

const outcomes = (results: readonly PromiseSettledResult<void>[]) =>
  results.map((result) => (result.status === 'fulfilled' ? 'written' : isConstraintViolation(result.reason)));

/** Describes the writer; `open` opens the same database each time. */
function describeWriter(open: () => Promise<() => Promise<Database>>): void {
  it('keeps one row per device, with every write that is not of the same moment', async () => {
    const openAgain = await open();
    const databases = [await openAgain(), await openAgain()] as const;
    await addUser(databases[0], 'u');
    const writers = databases.map(createWriter);
    for (let round = 1; round <= 3; round++) {
      // The order differs between the two processes.
      const numbers = Array.from({ length: 300 }, (_, index) => index);
      await Promise.all(
        writers.flatMap((writer, index) =>
          (index === 0 ? numbers : numbers.toReversed()).map((number) =>
            writer.record({ device_id: `d${number}`, user_id: 'u', ...seen }),
          ),
        ),
      );
    }
    const rows = await readActivity(databases[0]);
    expect(rows).toHaveLength(300);
    for (const { heartbeats } of rows) expect(heartbeats).toBe(6);
  });

  it('fails only for accounts that were deleted', async () => {
    const database = await (await open())();
    await addUser(database, 'u');
    const writer = createWriter(database);
    const of = (user_id: string, device_id: string) => writer.record({ device_id, user_id, ...seen });
    const results = await Promise.allSettled([of('u', 'a'), of('deleted', 'b'), of('u', 'c'), of('u', 'a')]);
    expect(outcomes(results)).toEqual(['written', true, 'written', 'written']);
    expect((await readActivity(database)).map(({ device_id }) => device_id)).toEqual(['a', 'c']);
  });

  it('does not start a write for a request that has timed out', async () => {
    const database = await (await open())();
    await addUser(database, 'u');
    const writer = createWriter(database);
    let isClosed = false;
    const abandoned = runWithDeadline(new Deadline(10_000, () => isClosed), () =>
      writer.record({ device_id: 'a', user_id: 'u', ...seen }),
    );
    isClosed = true;
    await expect(abandoned).rejects.toThrow(DeadlineExceeded);
    const isOver = runWithDeadline(new Deadline(0), () => writer.record({ device_id: 'a', user_id: 'u', ...seen }));
    await expect(isOver).rejects.toThrow(DeadlineExceeded);
    await writer.record({ device_id: 'b', user_id: 'u', ...seen });
    expect(await readActivity(database)).toMatchObject([{ device_id: 'b' }]);
  });
}

describe('on SQLite', () => {
  describeWriter(async () => {
    const path = join(temporaryFolder(), 'latchkey.db');
    return async () => {
      const database = await openSqlite(path, clock);
      onTestFinished(() => database.close());
      return database;
    };
  });
});

const programs = findPostgres();

describe.skipIf(programs === undefined)('on PostgreSQL', () => {
  const postgres = sharedPostgres();

  describeWriter(async () => {
    const url = await postgres.createDatabase();
    return async () => {
      const database = await openPostgres(url, clock);
      onTestFinished(() => database.close());
      return database;
    };
  });
});
