/**
 * Entries are sealed in batches, by one process at a time, and entries that arrive in the meantime are sealed later.
 */
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { AuditLogTruncated } from '../../../server/audit/audit-sealing.service.ts';
import { SealingJob } from '../../../server/audit/sealing-job.ts';
import { systemClock } from '../../../server/clock.ts';
import { systemScheduler } from '../../../server/scheduler.ts';
import { limitsOff } from '../../harness/environment.ts';
import { createFakeClock, hour } from '../../harness/fake-clock.ts';
import { startServer } from '../../harness/start-server.ts';
import { httpTransport, TestClient } from '../../harness/test-client.ts';
import { goodPassword, signUp } from '../../harness/users.ts';
import { check, describeEachDatabase, withServices } from './databases.ts';

/** More entries than fit into two seals. */
const count = 1200;

describeEachDatabase((database) => {
  describe('sealing', () => {
    it('by several processes at once creates one chain, in which each entry appears once', async () => {
      const admin = await database.createAdmin();
      await withServices(admin, async ({ auditLog, auditSealing }, { database: first }) => {
        const target = { kind: 'plan', id: '', label: 'p' } as const;
        const add = () =>
          first.write((transaction) => auditLog.record(transaction, { ...byCommand, action: 'plan.set', target }));
        await first.write(async (transaction) => {
          for (let number = 0; number < count; number++) {
            await auditLog.record(transaction, { ...byCommand, action: 'plan.set', target });
          }
        });
        await withServices(admin, async (other) => {
          const runs = [auditSealing.run(), other.auditSealing.run(), auditSealing.run(), other.auditSealing.run()];
          await Promise.all(Array.from({ length: 30 }, add));
          const sealed = (await Promise.all(runs)).reduce((sum, each) => sum + each, 0);
          expect(sealed).toBeGreaterThanOrEqual(count);
          expect(sealed + (await auditSealing.run())).toBe(count + 30);
        });
        const seals = await first.read.selectFrom('audit_seals').select(['id', 'entries']).orderBy('id').execute();
        expect(seals.map(({ id }) => id)).toEqual(seals.map((_, index) => index + 1));
        expect(Math.max(...seals.map(({ entries }) => entries))).toBe(500);
      });
      expect(await check(admin)).toMatchObject({
        ok: true,
        audit: { entries: count + 30, sealed: count + 30, unsealed: 0, ok: true },
      });
    });

    it.each([
      ['a server', []],
      ['each of several workers', ['--workers', '2']],
    ])('is done once more by %s that stops, including entries of its last requests', async (_who, args) => {
      const admin = await database.createAdmin();
      const server = await startServer({ ...limitsOff, ...admin.settings }, { args });
      const client = new TestClient(httpTransport(server.url));
      await Promise.all(Array.from({ length: 10 }, () => signUp(client)));
      // A refused sign-in is recorded a second later, or when the server stops.
      await client.call('login', { body: { email: 'nobody@example.com', password: goodPassword } });
      expect(await server.stop()).toStrictEqual({ code: 0, signal: null });
      expect((await check(admin)).audit).toStrictEqual({ entries: 11, sealed: 11, unsealed: 0, ok: true });
    });

    it('creates no seal if there is nothing to seal', async () => {
      const admin = await database.createAdmin();
      await withServices(admin, async ({ auditSealing }, { database: { read } }) => {
        expect(await auditSealing.run()).toBe(0);
        expect(await read.selectFrom('audit_seals').selectAll().execute()).toEqual([]);
      });
    });
  });
});

it('an unavailable database is logged once, as is its return', async () => {
  const log: string[] = [];
  const results = [new Error('away'), new Error('away'), 0, 0];
  let runs = 0;
  const auditSealing = {
    head: undefined,
    isStored: true,
    run: async () => {
      const result = results[runs++] ?? 0;
      if (result instanceof Error) throw result;
      return result;
    },
  };
  const logger = pino({}, { write: (line: string) => log.push(line) });
  const job = new SealingJob({ scheduler: systemScheduler, auditSealing, clock: systemClock, logger, intervalMs: 1 });
  job.task.start();
  await expect.poll(() => runs).toBeGreaterThan(3);
  await job.task.stop();
  expect(log).toEqual([expect.stringContaining('could not be sealed'), expect.stringContaining('sealed again')]);
});

it('the newest seal is logged once an hour, as is an end that was cut off', async () => {
  const log: string[] = [];
  let runs = 0;
  let isTruncated = false;
  const auditSealing = {
    head: { seal_id: 7, hash: 'h', epoch: 0 },
    isStored: true,
    run: async () => {
      runs++;
      if (isTruncated) throw new AuditLogTruncated('cut');
      return 0;
    },
  };
  const clock = createFakeClock();
  const logger = pino({}, { write: (line: string) => log.push(line) });
  const job = new SealingJob({ scheduler: systemScheduler, auditSealing, clock, logger, intervalMs: 1 });
  job.task.start();
  const runSome = () => {
    const until = runs + 3;
    return expect.poll(() => runs).toBeGreaterThan(until);
  };
  const passHours = async (hours: number) => {
    for (let number = 0; number < hours; number++) {
      await runSome();
      clock.advance(hour);
    }
    await runSome();
  };
  await passHours(2);
  expect(log.splice(0)).toEqual(Array.from({ length: 3 }, () => expect.stringContaining('"seal":7,"hash":"h"')));
  isTruncated = true;
  await passHours(1);
  await job.task.stop();
  expect(log).toEqual(Array.from({ length: 2 }, () => expect.stringMatching(/"level":50.*the audit log: cut/)));
});
