/** When the master key is replaced, the chain of the audit log is signed again, unless its signature was invalid. */
import { expect, it } from 'vitest';
import { auditKeys } from '../../../server/audit/audit-chain.rules.ts';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { verifyAuditLog } from '../../../server/audit/chain-verification.ts';
import { resignChain } from '../../../server/audit/resign-chain.ts';
import { createFakeClock, day } from '../../harness/fake-clock.ts';
import { change, describeEachDatabase, withServices } from './databases.ts';

const to = Buffer.alloc(32, 7);

describeEachDatabase((database) => {
  it('a chain that was cut is signed with the other key, and is then valid only with that key', async () => {
    const admin = await database.createAdmin();
    const clock = createFakeClock();
    await withServices(
      admin,
      async (services, { database: db, secrets }) => {
        const [from = to] = secrets.masterKeys;
        const problemUnder = async (key: Buffer) => (await verifyAuditLog(db.read, auditKeys([key]))).problem;
        for (const name of ['a', 'b']) {
          await services.plans.set(name, {}, byCommand);
          await services.auditSealing.run();
          clock.advance(2 * day);
          if (name === 'a') await services.auditRetention.cutBefore(clock.now(), () => false);
        }
        expect([await problemUnder(from), await problemUnder(to)]).toEqual([undefined, expect.any(String)]);
        for (const _ of ['first', 'repeated'])
          await db.write((transaction) => resignChain(transaction, auditKeys([to, from])));
        expect([await problemUnder(from), await problemUnder(to)]).toEqual([expect.any(String), undefined]);
      },
      clock,
    );
  });

  it('an invalid signature is not made valid', async () => {
    const admin = await database.createAdmin();
    await withServices(admin, async (services, { database: db, secrets }) => {
      const [from = to] = secrets.masterKeys;
      await services.plans.set('a', {}, byCommand);
      await services.auditSealing.run();
      await change(
        admin,
        `update meta set value = replace(value, 'signature":"', 'signature":"x') where name = 'audit_head'`,
      );
      await db.write((transaction) => resignChain(transaction, auditKeys([to, from])));
      expect((await verifyAuditLog(db.read, auditKeys([to]))).problem).toContain(
        'signature of the newest seal is not valid',
      );
    });
  });
});
