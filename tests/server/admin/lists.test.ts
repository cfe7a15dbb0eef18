/** Lists of any length, printed completely, or in parts with `--limit` and `--after`. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withServicesDeps } from '../../../server/admin/admin-context.ts';
import type { Tables } from '../../../server/database/tables.ts';
import { newUuid } from '../../../server/random.ts';
import { readConfig } from '../../../server/settings/config.ts';
import { Admin } from '../../harness/admin.ts';
import { childEnvironment, repository } from '../../harness/environment.ts';
import { findPostgres, startPostgres, type TestPostgres } from '../../harness/postgres.ts';
import { makeTemporaryFolder, removeFolder } from '../../harness/temporary-folder.ts';

type Row = { readonly id: string; readonly email: string | null };

/** More rows than are read at a time. */
const count = 2345;
const programs = findPostgres();

describe.each(['sqlite', 'postgres'])('on %s', (kind) => {
  describe.skipIf(kind === 'postgres' && programs === undefined)('a list', () => {
    const folder = makeTemporaryFolder();
    let postgres: TestPostgres | undefined;
    let admin: Admin;
    let ids: readonly string[];

    beforeAll(async () => {
      if (kind === 'postgres') postgres = await startPostgres(programs ?? '');
      const url = await postgres?.createDatabase();
      admin = new Admin(folder, url === undefined ? {} : { DATABASE_URL: url });
      ids = await insertAccounts(admin);
    });
    afterAll(async () => {
      await postgres?.stop();
      removeFolder(folder);
    });

    it('of accounts contains each account once, oldest first', async () => {
      const { stdout } = await admin.runHere(['user', 'list', '--json']);
      const rows: Row[] = JSON.parse(stdout);
      expect(rows.map(({ id }) => id)).toEqual(ids);
      expect(stdout).toBe(`${JSON.stringify(rows, null, 2)}\n`);
    });

    it.each(['user', 'license'])('of each %s is the same when read in consecutive parts', async (noun) => {
      const whole = await admin.json<Row[]>([noun, 'list']);
      const parts: Row[] = [];
      for (;;) {
        const last = parts.at(-1);
        const part = await admin.json<Row[]>([noun, 'list', '--limit', '1100', ...(last ? ['--after', last.id] : [])]);
        parts.push(...part);
        if (part.length < 1100) break;
      }
      expect(whole).toHaveLength(count);
      expect(parts).toEqual(whole);
    });

    it('of licenses includes the devices of each', async () => {
      const licenses = await admin.json<(Row & { devices: { device_id: string }[] })[]>(['license', 'list']);
      const devices = licenses.map(({ devices: [device] }) => Number(device?.device_id.slice(-4)));
      expect(devices).toEqual(licenses.map((_, number) => number));
    });

    it('of the licenses of one account can be limited too', async () => {
      const owned = ['license', 'list', '--email', 'user-7@example.com'];
      expect(await admin.json([...owned, '--limit', '1'])).toMatchObject([{ email: 'user-7@example.com' }]);
    });

    it('as text has its heading only once', async () => {
      const { stdout } = await admin.runHere(['user', 'list']);
      const lines = stdout.trimEnd().split('\n');
      expect(lines).toHaveLength(count + 1);
      expect(lines.filter((line) => line.startsWith('email '))).toHaveLength(1);
    });
  });
});

describe('a list', () => {
  const folder = makeTemporaryFolder();
  const admin = new Admin(folder);
  beforeAll(async () => {
    await insertAccounts(admin);
  });
  afterAll(() => removeFolder(folder));

  it.each(['', '--json'])('ends early when its reader stops reading %s', (format) => {
    const command = `"$NODE" "$ADMIN" user list ${format} | head -n 3; exit "\${PIPESTATUS[0]}"`;
    const environment = {
      LATCHKEY_DATA: folder,
      NODE: process.execPath,
      ADMIN: join(repository, 'server/admin/admin.ts'),
    };
    const ended = spawnSync('bash', ['-c', command], { env: childEnvironment(environment), encoding: 'utf8' });
    expect(ended).toMatchObject({ status: 0, stderr: '' });
    expect(ended.stdout.split('\n')).toHaveLength(4);
  });

  it('of plans keeps its order when read in parts', async () => {
    const whole = await admin.json<Row[]>(['plan', 'list']);
    const [first] = await admin.json<Row[]>(['plan', 'list', '--limit', '1']);
    const rest = await admin.json<Row[]>(['plan', 'list', '--after', first?.id ?? '']);
    expect([first, ...rest]).toEqual(whole);
  });
});

/** Inserts accounts with a license and a device each directly into the database; returns their ids in order. */
async function insertAccounts(admin: Admin): Promise<string[]> {
  return await withServicesDeps(readConfig(admin.settings), async ({ database, random }) => {
    const numbers = Array.from({ length: count }, (_, number) => number);
    const users = numbers.map((number) => userRow(newUuid(1_700_000_000_000 + number, random), number));
    const licenses = users.map(({ id }, number) => licenseRow(newUuid(1_700_000_000_000 + number, random), id, number));
    const activations = licenses.map(({ id }, number) => activationRow(newUuid(1, random), id, number));
    await database.write(async (transaction) => {
      for (let start = 0; start < count; start += 500) {
        const part = <T>(rows: readonly T[]) => rows.slice(start, start + 500);
        await transaction.insertInto('users').values(part(users)).execute();
        await transaction.insertInto('licenses').values(part(licenses)).execute();
        await transaction.insertInto('activations').values(part(activations)).execute();
      }
    });
    return users.map(({ id }) => id);
  });
}

function userRow(id: string, number: number): Tables['users'] {
  const email = `user-${number}@example.com`;
  const times = {
    created_at_ms: number,
    password_changed_at_ms: number,
    email_confirmed_at_ms: null,
    password_set_by: null,
  };
  return { id, email, email_key: email, full_name: `User ${number}`, password_hash: '-', ...times };
}

function licenseRow(id: string, user_id: string, number: number): Tables['licenses'] {
  const key = { key_hash: `hash ${number}`, key_preview: `SVC-${number}` };
  const terms = { plan: 'standard', status: 'active', max_activations: 3 } as const;
  const end = { expires_at_ms: null, updates_until_ms: null, noticed_lead_ms: null };
  return { id, user_id, ...key, ...terms, ...end, with_subscription: 0, created_at_ms: number, updated_at_ms: number };
}

function activationRow(id: string, license_id: string, number: number): Tables['activations'] {
  const device_id = `HW-01234567-89ABCDEF-01234567-0000${String(number).padStart(4, '0')}`;
  const times = { activated_at_ms: number, last_seen_at_ms: number, released_at_ms: null };
  const never = { lease_expires_at_ms: null, several_installations_at_ms: null };
  return { id, license_id, device_id, device_name: '', platform: 'linux', ...times, ...never };
}
