/**
 * An attacker who can write to the database cannot cut off the end of the audit log: its newest seal is remembered
 * elsewhere. Legitimate changes, such as several servers, a restore or a move, are not mistaken for such a cut.
 */
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readOverview } from '../../../server/admin-api/overview.ts';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { HeadStore } from '../../../server/audit/head-store.ts';
import type { Admin } from '../../harness/admin.ts';
import { createFakeClock, day } from '../../harness/fake-clock.ts';
import { startHttpServer } from '../../harness/http-server.ts';
import { startTestApp } from '../../harness/start-app.ts';
import { createAdmin, temporaryFolder } from '../../harness/test-admin.ts';
import { signUp } from '../../harness/users.ts';
import {
  change,
  check,
  describeEachDatabase,
  headFile,
  listEntries,
  readRow,
  seal,
  withServices,
} from './databases.ts';

const cutOff = /^audit log: its end was cut off: /;

describeEachDatabase((database) => {
  const addPlan = (admin: Admin, name: string) => withServices(admin, ({ plans }) => plans.set(name, {}, byCommand));
  const addSealed = async (admin: Admin, name: string) => {
    await addPlan(admin, name);
    await seal(admin);
  };
  const readHead = (admin: Admin) => readRow(admin, "select value from meta where name = 'audit_head'", 'value');
  const putBack = (admin: Admin, head: string) =>
    change(admin, `update meta set value = '${head}' where name = 'audit_head'`);
  const problems = async (admin: Admin) => (await check(admin)).problems;

  /**
   * Creates three sealed plans and cuts off the last: deletes its entry and its seal, and restores the earlier signed
   * head.
   */
  const cutOffLast = async (): Promise<Admin> => {
    const admin = await database.createAdmin();
    for (const name of ['a', 'b']) await addSealed(admin, name);
    const head = await readHead(admin);
    await addSealed(admin, 'c');
    expect(await problems(admin)).toEqual([]);
    await change(admin, 'delete from audit_events where seal_id = 3');
    await change(admin, 'delete from audit_seals where id = 3');
    await putBack(admin, head);
    return admin;
  };

  describe('an end that was cut off, with the earlier signed head restored,', () => {
    it('is detected through whatever path leads to the database', async () => {
      const admin = await cutOffLast();
      const link = join(temporaryFolder(), 'link');
      symlinkSync(admin.folder, link);
      const elsewhere = createAdmin({ ...admin.settings, LATCHKEY_DATA: link });
      expect(await problems(elsewhere)).toEqual([expect.stringMatching(cutOff)]);
    });

    it('is detected by check, even after another server has started, which does not seal over it', async () => {
      const admin = await cutOffLast();
      expect(await problems(admin)).toEqual([expect.stringMatching(cutOff)]);
      await expect(seal(admin)).rejects.toThrow(/its end was cut off/);
      await addPlan(admin, 'd');
      await expect(seal(admin)).rejects.toThrow(/its end was cut off/);
      expect(await check(admin)).toMatchObject({
        ok: false,
        audit: { entries: 3, sealed: 2, unsealed: 1, ok: false },
        problems: [expect.stringMatching(cutOff)],
      });
    });

    it('is reported by a running server, which keeps serving, in its log and its metrics', async () => {
      const admin = await database.createAdmin();
      const server = await startHttpServer(admin);
      await signUp(server);
      const isSealed = async () => expect.poll(async () => (await check(admin)).audit.unsealed).toBe(0);
      await isSealed();
      const head = await readHead(admin);
      const { seal_id: kept } = JSON.parse(head);
      await signUp(server);
      await isSealed();
      await change(admin, `delete from audit_events where seal_id > ${kept}`);
      await change(admin, `delete from audit_seals where id > ${kept}`);
      await putBack(admin, head);
      await expect.poll(() => server.process.stderr()).toMatch(/"level":50.*its end was cut off/);
      await signUp(server);
      expect((await server.request('GET', '/readyz')).status).toBe(200);
      expect((await server.request('GET', '/metrics')).text).toMatch(/^latchkey_audit_log_intact 0$/m);
      expect((await check(admin)).audit.unsealed).toBeGreaterThan(0);

      await admin.json(['audit', 'accept']);
      await isSealed();
      expect((await server.request('GET', '/metrics')).text).toMatch(/^latchkey_audit_log_intact 1$/m);
      expect(await problems(admin)).toEqual([]);
      await server.stop();
      expect(server.process.stderr().match(/its end was cut off/g)).toHaveLength(1);
    });

    it('can be accepted by an admin, which is recorded in the log, and is then an end like any other', async () => {
      const admin = await cutOffLast();
      expect(await admin.json(['audit', 'accept'])).toMatchObject({ seal: 2, remembered_seal: 3 });
      expect(await problems(admin)).toEqual([]);
      await seal(admin);
      expect((await listEntries(admin)).at(-1)).toMatchObject({
        action: 'audit.accept',
        actor: 'admin command',
        details: { seal: 2, remembered_seal: 3 },
      });
      expect(await check(admin)).toMatchObject({ ok: true, audit: { sealed: 3, unsealed: 0 } });
    });

    it('is detected again if the state from before the acceptance is restored', async () => {
      const admin = await cutOffLast();
      const head = await readHead(admin);
      await admin.json(['audit', 'accept']);
      await seal(admin);
      await change(admin, 'delete from audit_events where seal_id = 3');
      await change(admin, 'delete from audit_seals where id = 3');
      await putBack(admin, head);
      expect(await problems(admin)).toEqual([expect.stringMatching(cutOff)]);
    });
  });

  it('the deletion of the whole log is detected', async () => {
    const admin = await database.createAdmin();
    await addSealed(admin, 'a');
    for (const table of ['audit_events', 'audit_seals']) await change(admin, `delete from ${table}`);
    await change(admin, "delete from meta where name = 'audit_head'");
    expect(await problems(admin)).toEqual([expect.stringMatching(cutOff)]);
    await expect(seal(admin)).rejects.toThrow(/its end was cut off/);
    await admin.json(['audit', 'accept']);
    await seal(admin);
    expect(await check(admin)).toMatchObject({ ok: true, audit: { entries: 1, sealed: 1 } });
  });

  describe('no cut is reported', () => {
    it('with servers on several machines, some of which return later, even if retention has deleted more', async () => {
      const admin = await database.createAdmin();
      const clock = createFakeClock();
      await addSealed(admin, 'first');
      const [one, two] = [await onOtherMachine(admin), await onOtherMachine(admin)];
      for (const [index, machine] of [one, two, one, one, two].entries()) {
        await addSealed(machine, `plan-${index}`);
        expect(await problems(machine)).toEqual([]);
      }
      const late = await onOtherMachine(admin);
      await withServices(
        admin,
        async ({ plans, auditSealing, auditRetention }) => {
          // The existing seals were made with the system clock.
          clock.advance(Date.now() - clock.now() + 30 * day);
          for (const name of ['x', 'y']) {
            await plans.set(name, {}, byCommand);
            await auditSealing.run();
            clock.advance(2 * day);
          }
          expect(await auditRetention.cutBefore(clock.now() - day, () => false)).toBeGreaterThan(6);
        },
        clock,
      );
      for (const machine of [late, one, two]) {
        expect(await problems(machine)).toEqual([]);
        await seal(machine);
      }
    });

    it('after a restore of an older backup, on any machine, while a cut of earlier entries is still detected', async () => {
      const admin = await database.createAdmin();
      await addSealed(admin, 'a');
      const file = join(temporaryFolder(), 'b.tar');
      await admin.json(['backup', file]);
      await addSealed(admin, 'b');
      await addSealed(admin, 'c');
      const head = await readHead(admin);
      const other = await onOtherMachine(admin);
      await admin.json(['restore', file]);
      for (const machine of [admin, other]) {
        expect(await problems(machine)).toEqual([]);
        await addSealed(machine, 'd');
        expect(await problems(machine)).toEqual([]);
      }
      expect((await listEntries(admin)).find(({ action }) => action === 'backup.restore')).toMatchObject({
        details: { seal: 1, remembered_seal: 3 },
      });
      await putBack(admin, head);
      expect((await check(admin)).ok).toBe(false);
    });

    it('after a move to a new database, which keeps what the old one remembered', async () => {
      const admin = await cutOffLast();
      const folder = join(temporaryFolder(), 'new');
      await admin.json(['move-to', `sqlite:${folder}`]);
      const moved = createAdmin({}, folder);
      expect(await problems(moved)).toEqual([expect.stringMatching(cutOff)]);

      const sound = await database.createAdmin();
      await addSealed(sound, 'a');
      const soundFolder = join(temporaryFolder(), 'new');
      await sound.json(['move-to', `sqlite:${soundFolder}`]);
      const soundMoved = createAdmin({}, soundFolder);
      await seal(soundMoved);
      expect(await check(soundMoved)).toMatchObject({ ok: true, problems: [] });
    });

    it('with a second database that uses the same secrets', async () => {
      const admin = await database.createAdmin();
      for (const name of ['a', 'b']) await addSealed(admin, name);
      const second = createAdmin({ LATCHKEY_SECRETS_FILE: join(admin.folder, 'secrets.json') });
      await addSealed(second, 'a');
      for (const each of [admin, second]) expect(await problems(each)).toEqual([]);
    });

    it('after a rotation of the master key', async () => {
      const admin = await database.createAdmin();
      await addSealed(admin, 'a');
      await admin.json(['key', 'rotate', '--purpose', 'master']);
      await addSealed(admin, 'b');
      expect(await problems(admin)).toEqual([]);
    });
  });

  it('the newest seal is remembered next to the secrets, and in each backup', async () => {
    const admin = await database.createAdmin();
    await addSealed(admin, 'a');
    expect(statSync(headFile(admin)).mode & 0o777).toBe(0o600);
    const { seal_id, hash } = JSON.parse(await readHead(admin));
    const [remembered] = Object.values(JSON.parse(readFileSync(headFile(admin), 'utf8')).heads);
    expect(remembered).toMatchObject({ seal_id, hash });
    const report = await admin.json<{ audit_head: object }>(['backup', join(temporaryFolder(), 'b.tar')]);
    expect(report.audit_head).toMatchObject({ seal_id, hash });
  });

  /**
   * Returns the same database as used from another machine, with its own copy of the secrets and its own remembered
   * head.
   */
  async function onOtherMachine(admin: Admin): Promise<Admin> {
    const folder = temporaryFolder();
    const secrets = join(folder, 'secrets');
    mkdirSync(secrets, { mode: 0o700 });
    copyFileSync(join(admin.folder, 'secrets.json'), join(secrets, 'secrets.json'));
    const machine = createAdmin(
      { ...admin.settings, LATCHKEY_SECRETS_FILE: join(secrets, 'secrets.json') },
      admin.folder,
    );
    await seal(machine).catch(() => undefined);
    return machine;
  }
});

it('an end that was cut off is reported in the overview of the admin page', async () => {
  const app = await startTestApp();
  const { services, database } = app;
  const { plans, auditSealing } = services;
  const kinds = async () => (await readOverview({ ...app, ...services })).attention.map(({ kind }) => kind);
  await plans.set('a', {}, byCommand);
  await auditSealing.run();
  expect(await kinds()).not.toContain('audit_log_cut');
  await database.write(async (transaction) => {
    for (const table of ['audit_events', 'audit_seals'] as const) await transaction.deleteFrom(table).execute();
    await transaction.deleteFrom('meta').where('name', '=', 'audit_head').execute();
  });
  await expect(auditSealing.run()).rejects.toThrow(/its end was cut off/);
  expect(await kinds()).toContain('audit_log_cut');
});

describe('the file that remembers the newest seal', () => {
  const head = { seal_id: 3, hash: 'h', epoch: 0 };
  const storeOf = ([folder = '', dataFolder = folder]: readonly string[], databaseFile = 'one') =>
    new HeadStore({ secretsFile: join(folder, 'secrets.json'), dataFolder, databaseUrl: undefined, databaseFile });

  it('is in the next folder if the first one is not writable', async () => {
    const folder = temporaryFolder();
    const folders = ['/proc/no-such-folder', folder];
    await storeOf(folders).remember(head);
    expect(await storeOf(folders).read()).toMatchObject(head);
    expect(readdirSync(folder)).toEqual(['audit-head.json']);
  });

  it('is ignored if it is damaged, and written again', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'audit-head.json'), '{');
    const store = storeOf([folder]);
    expect(await store.read()).toBeUndefined();
    await store.remember(head);
    expect(await storeOf([folder]).read()).toMatchObject(head);
  });

  it('is not needed by a process that has seen the seal, and never goes back to an earlier seal', async () => {
    const folder = temporaryFolder();
    const store = storeOf([folder]);
    await store.remember(head);
    rmSync(join(folder, 'audit-head.json'));
    expect(await store.read()).toMatchObject(head);
    await storeOf([folder]).remember({ seal_id: 9, hash: 'i', epoch: 0 });
    expect(await store.read()).toMatchObject({ seal_id: 9 });
    await store.remember({ seal_id: 4, hash: 'j', epoch: 0 });
    expect(await storeOf([folder]).read()).toMatchObject({ seal_id: 9 });
    await store.remember({ seal_id: 1, hash: 'k', epoch: 7 });
    expect(await storeOf([folder]).read()).toMatchObject({ seal_id: 1, epoch: 7 });
  });

  it('has a separate entry for each database', async () => {
    const folder = temporaryFolder();
    await storeOf([folder], 'one').remember(head);
    await storeOf([folder], 'two').remember({ ...head, seal_id: 1 });
    expect(await storeOf([folder], 'one').read()).toMatchObject({ seal_id: 3 });
    expect(await storeOf([folder], 'two').read()).toMatchObject({ seal_id: 1 });
  });
});
