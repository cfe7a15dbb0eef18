/** The lists of the admin page on SQLite and PostgreSQL: searched, filtered, and read page by page without gaps. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import type { Clock } from '../../../server/clock.ts';
import type { Database } from '../../../server/database/database.ts';
import type { List } from '../../../server/database/list.ts';
import { maxCounted } from '../../../server/database/list-page.ts';
import { openPostgres } from '../../../server/database/postgres-database.ts';
import { openSqlite } from '../../../server/database/sqlite-database.ts';
import { systemScheduler } from '../../../server/scheduler.ts';
import { openSecrets } from '../../../server/secrets/secrets.ts';
import { createServices, type Services } from '../../../server/services.ts';
import { readConfig } from '../../../server/settings/config.ts';
import { systemRandom } from '../../../server/system-random.ts';
import { createFakeClock, day, hour, second } from '../../harness/fake-clock.ts';
import { findPostgres, query } from '../../harness/postgres.ts';
import { sharedPostgres } from '../../harness/shared-postgres.ts';
import { makeTemporaryFolder, removeFolder } from '../../harness/temporary-folder.ts';
import { numberedDeviceId } from '../../harness/users.ts';

const programs = findPostgres();
const clock = createFakeClock();

type Opened = { readonly database: Database; readonly services: Services };
type Open = (folder: string) => Promise<Database>;

async function openServices(folder: string, open: Open): Promise<Opened> {
  const config = readConfig({ LATCHKEY_DATA: folder });
  const database = await open(folder);
  const secrets = await openSecrets(config.secretsFile, database, systemRandom);
  return {
    database,
    services: createServices({ config, database, secrets, clock, random: systemRandom, scheduler: systemScheduler }),
  };
}

/** Reads the whole list, in pages of `limit` rows. */
async function readAll<Q, Row>(list: List<Q, Row>, query: Q, limit = 3): Promise<Row[]> {
  const all: Row[] = [];
  let next: string | null | undefined;
  do {
    const page = await list.readPage(query, { limit, ...(next ? { after: next } : {}) });
    expect(page.rows.length).toBeLessThanOrEqual(limit);
    all.push(...page.rows);
    next = page.next;
  } while (next !== null);
  return all;
}

const later = (milliseconds: number) => clock.now() + milliseconds;

describe('on SQLite', () => {
  describeLists(async (folder) => openSqlite(`${folder}/latchkey.db`, clock));
});

describe.skipIf(programs === undefined)('on PostgreSQL', () => {
  const postgres = sharedPostgres();

  // Its texts are sorted by the rules of a language, as in most installations, not by their bytes.
  describeLists(async () => {
    const url = new URL(await postgres.createDatabase());
    await query(url.href, "create database sorted template template0 locale_provider icu icu_locale 'en-US'");
    url.pathname = '/sorted';
    return openPostgres(url.href, clock as Clock);
  });
});

function describeLists(open: Open): void {
  const folder = makeTemporaryFolder();
  let database: Database;
  let services: Services;
  /** In the order of their creation. */
  const ids: string[] = [];
  const emails = ['Zoe@example.com', 'ada@example.com', 'adam@example.org', 'bob@example.com', 'Émile@example.fr'];

  beforeAll(async () => {
    ({ database, services } = await openServices(folder, open));
    for (const email of emails) {
      clock.advance(second);
      ids.push((await services.accounts.create({ email, full_name: '' }, byCommand)).id);
    }
  });
  afterAll(async () => {
    await database?.close();
    removeFolder(folder);
  });

  const idOf = (email: string) => ids[emails.indexOf(email)] ?? '';
  const emailsOf = (rows: readonly { email: string | null }[]) => rows.map(({ email }) => email);

  describe('accounts', () => {
    beforeAll(async () => {
      const set = (email: string, plan: string, status: 'active' | 'canceled' | 'past_due', endsInMs: number) =>
        services.subscriptions.set(idOf(email), { plan, status, periodEndMs: later(endsInMs) }, byCommand);
      await set('Zoe@example.com', 'standard', 'active', day);
      await set('ada@example.com', 'advanced', 'active', -day);
      await set('adam@example.org', 'standard', 'past_due', day);
      await set('bob@example.com', 'standard', 'canceled', -day);
    });

    it('are all listed, newest first, whatever the page size', async () => {
      for (const limit of [1, 2, 3, 4, 5, 200]) {
        expect(emailsOf(await readAll(services.accountList, {}, limit))).toStrictEqual(emails.toReversed());
      }
      expect(await services.accountList.count({})).toStrictEqual({ count: 5, is_exact: true });
    });

    it.each([
      ['ad', ['ada@example.com', 'adam@example.org']],
      ['ADA@', ['ada@example.com']],
      ['z', ['Zoe@example.com']],
      ['É', ['Émile@example.fr']],
      ['e', []],
      ['example', []],
      ['%', []],
      ['_', []],
      ["'", []],
    ])('are found by the beginning of their email address: %s', async (search, found) => {
      for (const limit of [1, 50]) {
        expect(emailsOf(await readAll(services.accountList, { search }, limit))).toStrictEqual(found);
      }
      expect(await services.accountList.count({ search })).toStrictEqual({ count: found.length, is_exact: true });
    });

    it.each([
      [{ status: 'active' }, ['Zoe@example.com']],
      [{ status: 'expired' }, ['ada@example.com']],
      [{ status: 'past_due' }, ['adam@example.org']],
      [{ status: 'canceled' }, ['bob@example.com']],
      [{ status: 'trialing' }, []],
      [{ status: 'none' }, ['Émile@example.fr']],
      [{ plan: 'standard' }, ['bob@example.com', 'adam@example.org', 'Zoe@example.com']],
      [{ plan: 'standard', status: 'active' }, ['Zoe@example.com']],
      [{ plan: 'advanced', status: 'active' }, []],
      [{ plan: 'no plan' }, []],
      [{ search: 'a', status: 'past_due' }, ['adam@example.org']],
      [{ search: 'a', plan: 'advanced' }, ['ada@example.com']],
      [{ search: 'é', status: 'none' }, ['Émile@example.fr']],
    ] as const)('can be filtered by %o, as of now', async (query, found) => {
      for (const limit of [1, 50]) {
        expect(emailsOf(await readAll(services.accountList, query, limit))).toStrictEqual(found);
      }
      expect(await services.accountList.count(query)).toStrictEqual({ count: found.length, is_exact: true });
    });

    it('are listed with their subscription, licenses and devices', async () => {
      const owner = idOf('bob@example.com');
      const { license_key } = await services.licenseAdmin.issue({ userId: owner }, byCommand);
      await services.licenseAdmin.issue({ userId: owner }, byCommand);
      await activate(owner, license_key, 1, 'One');
      await activate(owner, license_key, 2, 'Two');
      const [row] = await readAll(services.accountList, { search: 'bob' });
      expect(row).toStrictEqual({
        id: owner,
        email: 'bob@example.com',
        email_confirmed_at: expect.any(String),
        email_confirmation_missing: false,
        full_name: '',
        created_at: expect.any(String),
        plan: 'standard',
        status: 'canceled',
        current_period_end: expect.any(String),
        licenses: 2,
        devices: 2,
      });
    });
  });

  async function activate(owner: string, license_key: string, device: number, device_name: string) {
    const request = { license_key, device_id: numberedDeviceId(device), device_name, platform: 'linux' };
    await services.licenses.activate(owner, request, byCommand);
  }

  describe('licenses', () => {
    const keys: string[] = [];
    const previews: string[] = [];

    beforeAll(async () => {
      const owner = idOf('Zoe@example.com');
      const issue = async (change: object = {}) => {
        clock.advance(second);
        const { license_key, license } = await services.licenseAdmin.issue({ userId: owner, ...change }, byCommand);
        keys.push(license_key);
        previews.push(license.key_preview);
        return license.id;
      };
      await issue({ plan: 'advanced' });
      await services.licenseChanges.setStatus(await issue(), { status: 'inactive', as: 'owner' }, byCommand);
      await services.licenseChanges.setStatus(
        await issue({ expiresAtMs: later(-day) }),
        { status: 'revoked', as: 'owner' },
        byCommand,
      );
      await issue({ expiresAtMs: later(-day) });
      await services.licenseChanges.setStatus(await issue(), { status: 'expired', as: 'owner' }, byCommand);
      await issue({ expiresAtMs: later(day) });
    });

    const find = async (query: object, limit: number) => {
      const rows = await readAll(services.licenseList, { search: 'zoe', ...query }, limit);
      return rows.map(({ key_preview }) => previews.indexOf(key_preview)).sort();
    };

    it.each([
      [{}, [0, 1, 2, 3, 4, 5]],
      [{ status: 'active' }, [0, 5]],
      [{ status: 'inactive' }, [1]],
      [{ status: 'revoked' }, [2]],
      [{ status: 'expired' }, [3, 4]],
      [{ plan: 'advanced' }, [0]],
      [{ plan: 'advanced', status: 'revoked' }, []],
      [{ expires_within_days: 1 }, [5]],
      [{ expires_within_days: 1, plan: 'advanced' }, []],
      [{ expires_within_days: 1, status: 'inactive' }, []],
    ] as const)('of an owner can be filtered by %o, as of now', async (query, found) => {
      for (const limit of [1, 4, 50]) expect(await find(query, limit)).toStrictEqual(found);
      const count = { count: found.length, is_exact: true };
      expect(await services.licenseList.count({ search: 'zoe', ...query })).toStrictEqual(count);
    });

    it.each(['active', 'inactive', 'revoked', 'expired'] as const)(
      'without a search can be filtered in the same way: %s',
      async (status) => {
        const all = await readAll(services.licenseList, {}, 200);
        const narrowed = await readAll(services.licenseList, { status }, 2);
        expect(narrowed).toStrictEqual(all.filter((license) => license.status === status));
        expect(narrowed.length).toBeGreaterThan(0);
      },
    );

    it('without a search can be filtered by their end, which must be near enough and still to come', async () => {
      clock.advance(-2 * second);
      expect(await readAll(services.licenseList, { expires_within_days: 1 }, 2)).toStrictEqual([]);
      clock.advance(2 * second);
      const [ending, ...others] = await readAll(services.licenseList, { expires_within_days: 1 }, 2);
      expect(ending).toMatchObject({ key_preview: previews[5], status: 'active' });
      expect(others).toStrictEqual([]);
    });

    it('are found by the beginning of their preview, and by a complete key', async () => {
      const [key = '', preview = ''] = [keys[1], previews[1]];
      for (const search of [preview, preview.slice(0, 8), preview.toLowerCase(), key, key.toLowerCase()]) {
        expect((await readAll(services.licenseList, { search })).map((row) => row.key_preview)).toContain(preview);
      }
      expect(await readAll(services.licenseList, { search: preview })).toHaveLength(1);
      const other = preview.endsWith('0') ? '1' : '0';
      expect(await readAll(services.licenseList, { search: preview.slice(0, -1) + other })).toStrictEqual([]);
    });

    it('without an owner are listed too', async () => {
      clock.advance(second);
      const { license } = await services.licenseAdmin.issue({}, byCommand);
      const [newest] = await readAll(services.licenseList, {}, 1);
      expect(newest).toMatchObject({ id: license.id, email: null, user_id: null, activations: 0 });
    });
  });

  describe('devices', () => {
    beforeAll(async () => {
      const owner = idOf('ada@example.com');
      const { license_key } = await services.licenseAdmin.issue({ userId: owner, maxActivations: 9 }, byCommand);
      const start = clock.now();
      for (const [index, [name, daysAgo]] of [
        ['Studio Mac', 40],
        ['studio linux', 10],
        ['Werkstatt', 0],
        ['=Formula', 0],
      ].entries()) {
        clock.setNow(start - Number(daysAgo) * day + index);
        await activate(owner, license_key, 100 + index, String(name));
      }
      clock.setNow(start + hour);
      const { activations: before } = await services.activations.list(owner);
      await activate(owner, license_key, 200, 'Released');
      const { activations } = await services.activations.list(owner);
      const added = activations.find(({ device_name }) => device_name === 'Released');
      expect(before).toHaveLength(4);
      await services.activations.release(owner, added?.activation_id ?? '', byCommand);
    });

    const names = async (query: object, limit = 2) =>
      (await readAll(services.deviceList, query, limit)).map(({ device_name }) => device_name);

    it('are listed while active, with their license and owner', async () => {
      const rows = await readAll(services.deviceList, { search: 'ada@' }, 50);
      expect(rows).toHaveLength(4);
      for (const row of rows) expect(row).toMatchObject({ email: 'ada@example.com', user_id: idOf('ada@example.com') });
      expect(await names({}, 200)).not.toContain('Released');
    });

    it.each([
      [{ search: 'stud' }, ['studio linux', 'Studio Mac']],
      [{ search: 'STUDIO M' }, ['Studio Mac']],
      [{ search: numberedDeviceId(102) }, ['Werkstatt']],
      [{ search: numberedDeviceId(102).toLowerCase() }, ['Werkstatt']],
      [{ search: numberedDeviceId(102).slice(0, -1), activity: 'idle' }, ['studio linux']],
      [{ search: 'ada@', activity: 'stale' }, ['Studio Mac']],
      [{ search: 'ada@', activity: 'idle' }, ['studio linux']],
      [{ search: 'stud', activity: 'active' }, []],
      [{ search: 'Released' }, []],
    ] as const)('are found by %o', async (query, found) => {
      expect((await names(query)).sort()).toStrictEqual(found.toSorted());
      expect(await services.deviceList.count(query)).toStrictEqual({ count: found.length, is_exact: true });
    });

    it.each(['active', 'idle', 'stale'] as const)(
      'without a search can be filtered in the same way: %s',
      async (activity) => {
        const all = await readAll(services.deviceList, {}, 200);
        const narrowed = await readAll(services.deviceList, { activity }, 2);
        expect(narrowed).toStrictEqual(all.filter((device) => device.activity === activity));
        expect(narrowed.length).toBeGreaterThan(0);
      },
    );
  });

  describe('API keys', () => {
    const sha256 = (character: string) => character.repeat(64);

    beforeAll(async () => {
      const add = (email: string, legacy: object) =>
        services.apiKeyAdmin.importLegacy(idOf(email), { ...legacy, expiresAtMs: later(day) } as never, byCommand);
      await add('ada@example.com', { sha256: sha256('a') });
      await services.apiKeyAdmin.revoke(idOf('ada@example.com'), byCommand);
      clock.advance(second);
      await add('ada@example.com', { key: 'svc_live_abcdefghijklmnopqrstuvwxyz' });
      clock.advance(second);
      await add('bob@example.com', { sha256: sha256('b') });
    });

    it.each([
      [{}, ['bob@example.com', 'ada@example.com', 'ada@example.com']],
      [{ state: 'current' }, ['bob@example.com', 'ada@example.com']],
      [{ state: 'legacy' }, ['bob@example.com', 'ada@example.com']],
      [{ state: 'revoked' }, ['ada@example.com']],
      [{ search: 'ada', state: 'current' }, ['ada@example.com']],
      [{ search: 'svc_live_abc' }, ['ada@example.com']],
      [{ search: 'svc_live_abcdefghijklmnopqrstuvwxyz' }, ['ada@example.com']],
      [{ search: 'svc_live_' }, ['ada@example.com', 'bob@example.com', 'ada@example.com']],
    ] as const)('are found by %o', async (query, found) => {
      const sorted = (rows: readonly (string | null)[]) => rows.toSorted();
      for (const limit of [1, 50]) {
        const rows = await readAll(services.apiKeyList, query, limit);
        expect(sorted(emailsOf(rows))).toStrictEqual(sorted(found));
      }
      expect(await services.apiKeyList.count(query)).toStrictEqual({ count: found.length, is_exact: true });
    });
  });

  describe('the audit log', () => {
    it('can be filtered by action, actor, record and time', async () => {
      const actor = { kind: 'staff', id: idOf('bob@example.com'), email: 'bob@example.com' } as const;
      clock.advance(second);
      const sinceMs = clock.now();
      const { license } = await services.licenseAdmin.issue({}, { actor });
      await services.licenseChanges.setStatus(license.id, { status: 'inactive', as: 'owner' }, { actor });
      clock.advance(second);
      await services.licenseChanges.setStatus(license.id, { status: 'active', as: 'owner' }, { actor });
      const actions = async (query: object) =>
        (await readAll(services.auditList, { target: license.id, ...query }, 1)).map(({ action }) => action);
      const [reinstate, suspend, issue] = ['license.reinstate', 'license.suspend', 'license.issue'];
      expect(await actions({})).toStrictEqual([reinstate, suspend, issue]);
      expect(await actions({ action: 'license.suspend' })).toStrictEqual([suspend]);
      expect(await actions({ action: 'license' })).toHaveLength(3);
      expect(await actions({ action: 'lic' })).toStrictEqual([]);
      expect(await actions({ actor: 'BOB@example.com' })).toHaveLength(3);
      expect(await actions({ actor: 'ada@example.com' })).toStrictEqual([]);
      expect(await actions({ search: 'Bob' })).toHaveLength(3);
      expect(await actions({ search: license.key_preview.slice(0, 8) })).toHaveLength(3);
      expect(await actions({ search: 'nobody' })).toStrictEqual([]);
      expect(await actions({ since: new Date(sinceMs + 1).toISOString() })).toStrictEqual([reinstate]);
      expect(await actions({ until: new Date(sinceMs + 1).toISOString() })).toStrictEqual([suspend, issue]);
    });
  });

  describe('deliveries of events', () => {
    it('can be filtered by event type, state and the beginning of the event id, page by page', async () => {
      const { id: endpointId } = await services.webhooks.add('https://hooks.example.com/', [], byCommand);
      for (const email of emails) {
        clock.advance(second);
        const periodEndMs = later(day);
        await services.subscriptions.set(idOf(email), { plan: 'standard', status: 'active', periodEndMs }, byCommand);
      }
      const { license } = await services.licenseAdmin.issue({ userId: idOf('bob@example.com') }, byCommand);
      await services.licenseChanges.setStatus(license.id, { status: 'revoked', as: 'owner' }, byCommand);
      const list = services.deliveryList;
      const all = await readAll(list, { endpointId }, 2);
      expect(all.length).toBeGreaterThan(emails.length);
      const changed = all.filter(({ type }) => type === 'subscription.changed');
      expect(await readAll(list, { endpointId, type: 'subscription.changed' }, 2)).toStrictEqual(changed);
      expect(await readAll(list, { endpointId, type: 'subscription.changed', state: 'pending' }, 2)).toStrictEqual(
        changed,
      );
      expect(await readAll(list, { endpointId, type: 'subscription.changed', state: 'delivered' })).toStrictEqual([]);
      expect(await list.count({ endpointId, type: 'license.revoked' })).toStrictEqual({ count: 1, is_exact: true });
      const eventId = changed[2]?.event_id ?? '';
      expect(await readAll(list, { endpointId, search: eventId.toUpperCase() })).toStrictEqual([changed[2]]);
      expect(await readAll(list, { endpointId, search: eventId, type: 'license.revoked' })).toStrictEqual([]);
    });
  });

  describe('a long list', () => {
    const count = 1300;

    beforeAll(async () => {
      await database.write(async (transaction) => {
        for (let index = 0; index < count; index += 100) {
          const rows = Array.from({ length: 100 }, (_, offset) => {
            const email = `many-${String(index + offset).padStart(4, '0')}@example.com`;
            const [id, full_name, password_hash] = [randomUUID(), '', ''] as const;
            const times = { created_at_ms: 0, password_changed_at_ms: 0 };
            return { id, email, email_key: email, full_name, password_hash, ...times };
          });
          await transaction.insertInto('users').values(rows).execute();
        }
      });
      await services.subscriptions.set(
        (await services.accounts.getByEmail('many-1234@example.com')).id,
        { plan: 'advanced', status: 'past_due', periodEndMs: later(day) },
        byCommand,
      );
    });

    it('is read without gaps or duplicate rows', async () => {
      const rows = await readAll(services.accountList, { search: 'many-' }, 199);
      expect(new Set(rows.map(({ id }) => id)).size).toBe(count);
      expect(emailsOf(rows)).toStrictEqual(emailsOf(rows).toSorted());
      expect((await readAll(services.accountList, {}, 200)).length).toBe(count + emails.length);
    });

    it('is searched to the end for the only matching row', async () => {
      const rows = await readAll(services.accountList, { search: 'many-', status: 'past_due' }, 50);
      expect(emailsOf(rows)).toStrictEqual(['many-1234@example.com']);
    });

    it(`is counted up to ${maxCounted}`, async () => {
      const total = { count: maxCounted, is_exact: false };
      expect(await services.accountList.count({})).toStrictEqual(total);
      expect(await services.accountList.count({ search: 'many-' })).toStrictEqual(total);
    });
  });
}
