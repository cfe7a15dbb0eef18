/** Reminders and expired licenses with several processes on one database: exactly one of them sends each notice. */
import { expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import type { Services } from '../../../server/services.ts';
import { createFakeClock, day, minute } from '../../harness/fake-clock.ts';
import { describeEachDatabase, withServices } from '../audit/databases.ts';

const settings = { LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:1' };
const count = 130;
const goOn = async () => true;

describeEachDatabase((database) => {
  it('two processes that run at the same time send each notice once, even after downtime', async () => {
    const admin = await database.createAdmin(settings);
    const clock = createFakeClock();
    await withServices(
      admin,
      async (services, { database: first }) =>
        withServices(
          admin,
          async (others) => {
            await services.webhooks.add('https://example.com/events', [], byCommand);
            const { id } = await services.accounts.create({ email: 'ada@example.com', full_name: '' }, byCommand);
            const expiresAtMs = clock.now() + 30 * day;
            for (let number = 0; number < count; number++) {
              await services.licenseAdmin.issue({ userId: id, expiresAtMs }, byCommand);
            }
            await services.subscriptions.set(
              id,
              { plan: 'standard', periodEndMs: expiresAtMs, cancelAtPeriodEnd: true },
              byCommand,
            );
            const run = async () => {
              const both: readonly Services[] = [services, others];
              await Promise.all(both.map(({ reminders }) => reminders.run(goOn)));
            };
            const counts = async () => {
              const rows = await first.read
                .selectFrom('event_deliveries')
                .select(['type', ({ fn }) => fn.countAll<number>().as('events')])
                .where('type', 'in', ['license.expiring', 'license.expired', 'subscription.expiring'])
                .groupBy('type')
                .execute();
              const mails = await first.read.selectFrom('mails').select('id').execute();
              return {
                ...Object.fromEntries(rows.map(({ type, events }) => [type, Number(events)])),
                mails: mails.length,
              };
            };
            await run();
            expect(await counts()).toEqual({ mails: 0 });
            clock.advance(16 * day);
            await run();
            await run();
            const once = { 'license.expiring': count, 'subscription.expiring': 1, mails: count + 1 };
            expect(await counts()).toEqual(once);
            clock.advance(11 * day + minute);
            await run();
            const twice = { 'license.expiring': 2 * count, 'subscription.expiring': 2, mails: 2 * (count + 1) };
            expect(await counts()).toEqual(twice);
            clock.advance(90 * day);
            await run();
            await run();
            expect(await counts()).toEqual({ ...twice, 'license.expired': count });
          },
          clock,
        ),
      clock,
    );
  });

  it('a license whose end changes at that moment is announced with its new end', async () => {
    const admin = await database.createAdmin();
    const clock = createFakeClock();
    await withServices(
      admin,
      async (services, { database: connection }) => {
        await services.webhooks.add('https://example.com/events', ['license.expiring'], byCommand);
        for (let round = 0; round < 10; round++) {
          const { license } = await services.licenseAdmin.issue({ expiresAtMs: clock.now() + 10 * day }, byCommand);
          const movedMs = clock.now() + 12 * day;
          await Promise.all([
            services.reminders.run(goOn),
            services.licenseChanges.setExpiry(license.id, movedMs, byCommand),
            services.reminders.run(goOn),
          ]);
          await services.reminders.run(goOn);
          const rows = await connection.read
            .selectFrom('reminders')
            .select('ends_at_ms')
            .where('subject_id', '=', license.id)
            .execute();
          expect(rows).toContainEqual({ ends_at_ms: movedMs });
        }
      },
      clock,
    );
  });
});
