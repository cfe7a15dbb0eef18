/** Entries older than the retention are deleted from the audit log, and the rest of its chain can still be verified. */
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { RetentionJob } from '../../../server/retention/retention-job.ts';
import type { Admin } from '../../harness/admin.ts';
import { createFakeClock, day, hour } from '../../harness/fake-clock.ts';
import { change, check, describeEachDatabase, listEntries, withServices } from './databases.ts';

const logger = pino({ level: 'silent' });

describeEachDatabase((database) => {
  /** Sets a plan on each of 20 days, with a retention of 10 days; returns how many entries each run deleted. */
  const passDays = (admin: Admin, beforeDay: (number: number) => Promise<void> = async () => undefined) =>
    withServices(
      admin,
      async (services, deps) => {
        const job = new RetentionJob({ ...deps, ...services, logger, historyMs: 10 * day });
        const deleted: number[] = [];
        for (let number = 1; number <= 20; number++) {
          await beforeDay(number);
          await services.plans.set(`day-${number}`, {}, byCommand);
          await services.auditSealing.run();
          for (let hours = 0; hours < 24; hours += 2) {
            clock.advance(2 * hour);
            const { audit_events = 0 } = await job.run();
            if (audit_events > 0) deleted.push(audit_events);
            await services.auditSealing.run();
          }
        }
        return deleted;
      },
      clock,
    );
  const clock = createFakeClock();
  const actions = async (admin: Admin) => (await listEntries(admin)).map(({ action, target }) => `${action} ${target}`);

  describe('retention of the audit log', () => {
    it('deletes older entries once a day, records it, and leaves a marker from which the rest of the chain continues', async () => {
      const admin = await database.createAdmin();
      const deleted = await passDays(admin);
      expect(deleted).toEqual(Array.from({ length: deleted.length }, () => 1));
      expect(deleted.length).toBeGreaterThanOrEqual(8);

      const cuts = deleted.length;
      const left = await actions(admin);
      expect(left.filter((action) => action.startsWith('plan.set'))).toEqual(
        Array.from({ length: 20 - cuts }, (_, index) => `plan.set plan day-${cuts + index + 1}`),
      );
      expect(left.filter((action) => action === 'audit.cut audit log')).toHaveLength(cuts);
      expect((await listEntries(admin)).find(({ action }) => action === 'audit.cut')).toMatchObject({
        actor: 'server',
        address: null,
        details: { entries: 1, before: expect.stringContaining('T00:00:00.000Z'), intact: true },
      });
      expect(await check(admin)).toMatchObject({
        ok: true,
        audit: { entries: 20, unsealed: 0, ok: true, cut: { at: expect.any(String), entries: cuts } },
      });
    });

    it('records that the deleted entries had been changed', async () => {
      const admin = await database.createAdmin();
      await passDays(admin, async (number) => {
        if (number === 3) await change(admin, "update audit_events set actor = 'eve' where target_label = 'day-2'");
      });
      const cuts = (await listEntries(admin)).filter(({ action }) => action === 'audit.cut');
      expect(cuts.map(({ details }) => details.intact)).toEqual(cuts.map((_, index) => index !== 1));
      expect(await check(admin)).toMatchObject({ ok: true });
    });

    it('still detects changes and deletions after a cut', async () => {
      const admin = await database.createAdmin();
      await passDays(admin);
      const [first] = await listEntries(admin);
      await change(admin, `delete from audit_events where id = '${first?.id}'`);
      expect((await check(admin)).problems).toEqual([expect.stringContaining(`the entry ${first?.id} is missing`)]);
      await change(admin, "delete from meta where name = 'audit_cut'");
      expect((await check(admin)).problems).toEqual([expect.stringContaining('does not follow seal 0')]);
    });

    it.each([
      ['some', 'where id < 3'],
      ['all', ''],
    ])('does not hide that the age of %s seals was changed so that new entries are deleted', async (_which, where) => {
      const admin = await database.createAdmin();
      await withServices(admin, async ({ plans, auditSealing, auditRetention }) => {
        for (const number of [1, 2, 3]) {
          await plans.set(`plan-${number}`, {}, byCommand);
          await auditSealing.run();
        }
        await change(admin, `update audit_seals set sealed_at_ms = 0 ${where}`);
        expect(await auditRetention.cutBefore(Date.now(), () => false)).toBeGreaterThan(0);
      });
      const { ok, problems } = await check(admin);
      expect({ ok, problems: problems.length }).toEqual({ ok: false, problems: 1 });
    });

    it('deletes a long log in parts', async () => {
      const admin = await database.createAdmin();
      const start = createFakeClock();
      await withServices(
        admin,
        async ({ auditLog, auditSealing, auditRetention }, deps) => {
          const event = { ...byCommand, action: 'plan.set', target: { kind: 'plan', id: '', label: 'p' } } as const;
          for (const count of [700, 1, 1, 400, 300, ...Array.from({ length: 70 }, () => 2)]) {
            await deps.database.write(async (transaction) => {
              for (let number = 0; number < count; number++) await auditLog.record(transaction, event);
            });
            await auditSealing.run();
          }
          start.advance(2 * day);
          const total = 700 + 1 + 1 + 400 + 300 + 140;
          const stopped = await auditRetention.cutBefore(start.now(), () => true);
          expect(stopped).toBe(0);
          expect(await auditRetention.cutBefore(start.now(), () => false)).toBe(total);
          expect(await auditRetention.cutBefore(start.now(), () => false)).toBe(0);
          await auditSealing.run();
          expect((await check(admin)).audit).toMatchObject({
            entries: 1,
            sealed: 1,
            ok: true,
            cut: { entries: total },
          });
        },
        start,
      );
    });
  });
});
