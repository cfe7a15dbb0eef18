/**
 * Whatever an attacker with write access only to the database does to the audit log, `check` detects it and names an
 * entry.
 */
import { rmSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import type { Admin } from '../../harness/admin.ts';
import { change, check, describeEachDatabase, headFile, listEntries, seal, withServices } from './databases.ts';

describeEachDatabase((database) => {
  /** Two seals with three entries each, and one entry that is not sealed yet. */
  let admin: Admin;
  let ids: readonly string[];
  beforeEach(async () => {
    admin = await database.createAdmin();
    await withServices(admin, async ({ plans, auditSealing }) => {
      for (const number of [1, 2, 3, 4, 5, 6, 7]) {
        await plans.set(`plan-${number}`, { max_devices: number }, byCommand);
        if (number % 3 === 0) expect(await auditSealing.run()).toBe(3);
      }
    });
    ids = (await listEntries(admin)).map(({ id }) => id);
  });

  const problemAfter = async (statement: string): Promise<string> => {
    await change(admin, statement);
    const { ok, audit, problems } = await check(admin);
    expect({ ok, audit: audit.ok }).toEqual({ ok: false, audit: false });
    expect(problems).toHaveLength(1);
    return problems[0] ?? '';
  };
  /** Seals like a server that remembers nothing. */
  const sealWithoutMemory = () => {
    rmSync(headFile(admin));
    return seal(admin);
  };
  const isId = (index: number) => `id = '${ids[index]}'`;
  const swap = (column: string) =>
    `update audit_events set ${column} = (select max(other.${column}) from audit_events other
       where other.id in ('${ids[1]}', '${ids[2]}') and other.id <> audit_events.id)
     where id in ('${ids[1]}', '${ids[2]}')`;

  it('an unchanged log has no problems', async () => {
    expect(await check(admin)).toMatchObject({
      ok: true,
      audit: { entries: 7, sealed: 6, unsealed: 1, ok: true },
      problems: [],
    });
  });

  describe('check names an entry', () => {
    it.each([
      ['actor', `actor = 'eve@example.com'`],
      ['kind of actor', `actor_kind = 'server'`],
      ['action', `action = 'plan.get'`],
      ['target', `target_label = 'plan-9'`],
      ['time', 'at_ms = at_ms + 1'],
      ['address', `address = '192.0.2.1'`],
      ['details', `details = '{}'`],
      ['seal', 'seal_id = 2'],
      ['seal, which was removed', 'seal_id = null'],
    ])('whose %s was changed', async (_what, assignment) => {
      const problem = await problemAfter(`update audit_events set ${assignment} where ${isId(1)}`);
      expect(problem).toBe(`audit log: the entry ${ids[1]} was changed after it was sealed`);
    });

    it('that was deleted', async () => {
      const problem = await problemAfter(`delete from audit_events where ${isId(4)}`);
      expect(problem).toBe(`audit log: the entry ${ids[4]} is missing: it was deleted after it was sealed`);
    });

    it('that was added', async () => {
      const columns =
        'at_ms, actor_kind, actor, action, target_kind, target_id, target_label, address, details, seal_id';
      const problem = await problemAfter(
        `insert into audit_events (id, ${columns}) select '${ids[1]}x', ${columns} from audit_events where ${isId(1)}`,
      );
      expect(problem).toContain(`the entry ${ids[1]}x was added later`);
    });

    it.each(['target_id', 'target_label', 'details'])(
      'whose %s was swapped with that of another entry',
      async (column) => {
        expect(await problemAfter(swap(column))).toContain(`the entry ${ids[1]} was changed`);
      },
    );

    it('that is the first of several changed entries', async () => {
      await change(admin, `delete from audit_events where ${isId(5)}`);
      const problem = await problemAfter(`update audit_events set actor = 'x' where ${isId(2)} or ${isId(3)}`);
      expect(problem).toContain(`the entry ${ids[2]} was changed`);
    });
  });

  describe('check detects a seal', () => {
    it.each([
      ['that was deleted', () => 'delete from audit_seals where id = 1', () => `begins with the entry ${ids[3]}`],
      [
        'whose list was changed',
        () => "update audit_seals set digests = replace(digests, 'a', 'b') where id = 1",
        () => 'seal 1',
      ],
      ['whose hash was changed', () => "update audit_seals set hash = 'x' where id = 1", () => 'seal 1'],
      [
        'that no longer continues the one before',
        () => "update audit_seals set previous_hash = 'x' where id = 2",
        () => 'seal 2',
      ],
    ])('%s', async (_what, statement, sentence) => {
      expect(await problemAfter(statement())).toContain(sentence());
    });
  });

  describe('check detects an end of the chain', () => {
    it('that was cut off', async () => {
      await change(admin, 'delete from audit_events where seal_id = 2');
      expect(await problemAfter('delete from audit_seals where id = 2')).toContain('the newest entries are missing');
    });

    it('that was cut off, even after the server has sealed more', async () => {
      await change(admin, 'delete from audit_events where seal_id = 2');
      await change(admin, 'delete from audit_seals where id = 2');
      await seal(admin);
      const { problems } = await check(admin);
      expect(problems[0]).toContain(`seal 3, which begins with the entry ${ids[6]}, does not follow seal 1`);
    });

    it('whose signature was made elsewhere, even after the server has sealed more', async () => {
      const problem = await problemAfter(
        `update meta set value = replace(value, 'signature":"', 'signature":"x') where name = 'audit_head'`,
      );
      expect(problem).toBe('audit log: the signature of the newest seal is not valid');
      await expect(seal(admin)).rejects.toThrow('its end was cut off');
      await sealWithoutMemory();
      const { problems } = await check(admin);
      expect(problems[0]).toContain(`which begins with the entry ${ids[6]}, does not continue the seal before it`);
    });

    it('whose signature was removed, even after the server has sealed more', async () => {
      expect(await problemAfter("delete from meta where name = 'audit_head'")).toContain(
        'signature of the newest seal is missing',
      );
      await expect(seal(admin)).rejects.toThrow('its end was cut off');
      await sealWithoutMemory();
      const { problems } = await check(admin);
      expect(problems[0]).toContain(`which begins with the entry ${ids[6]}, does not continue the seal before it`);
    });
  });

  it('check detects a marker of a cut that was not made by this server', async () => {
    await change(admin, 'delete from audit_events where seal_id = 1');
    await change(admin, 'delete from audit_seals where id = 1');
    const { problems } = await check(admin);
    expect(problems[0]).toContain(`begins with the entry ${ids[3]}, does not follow seal 0`);
    const marker = '\'{"seal_id":1,"hash":"\' || previous_hash || \'","entries":3,"cut_at_ms":1,"signature":"x"}\'';
    const problem = await problemAfter(`insert into meta (name, value) select 'audit_cut', ${marker} from audit_seals`);
    expect(problem).toBe('audit log: the marker of what was deleted for its age has no valid signature');
  });

  it('a log that was tampered with can still be backed up and restored', async () => {
    await change(admin, `update audit_events set actor = 'x' where ${isId(1)}`);
    const file = `${admin.folder}/b.tar`;
    await admin.json(['backup', file]);
    await admin.json(['restore', file]);
    expect((await check(admin)).problems).toHaveLength(1);
  });
});
