/**
 * Owners and users act on the same two accounts and their licenses at the same moment, through two servers with one
 * PostgreSQL: each gets a documented response, and no two of them deadlock. A seed, which a failure prints, determines
 * which actions meet; `TEST_SEED` repeats it, but not the order of execution.
 */
import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byCommand } from '../../server/audit/audit-event.ts';
import type { AnyEndpointName } from '../../server/http/endpoint-handler.ts';
import { createFakeClock } from '../harness/fake-clock.ts';
import { findPostgres, query, startPostgres, type TestPostgres } from '../harness/postgres.ts';
import { type StaffBrowser, signInStaff } from '../harness/staff.ts';
import { startApp, type TestApp } from '../harness/start-app.ts';
import { makeTemporaryFolder, removeFolder } from '../harness/temporary-folder.ts';
import type { EndpointCall } from '../harness/test-client.ts';
import { goodPassword, numberedDeviceId } from '../harness/users.ts';
import { SeededRandom } from '../simulation/seeded-random.ts';

const programs = findPostgres();
const clock = createFakeClock();
const [rounds, actsAtOnce] = [20, 24];
const seed = Number(process.env.TEST_SEED ?? randomInt(2 ** 32));

type Act = readonly [name: AnyEndpointName, call?: EndpointCall];

describe.skipIf(programs === undefined)('two servers on one PostgreSQL', { timeout: 300_000 }, () => {
  const folder = makeTemporaryFolder();
  const random = new SeededRandom(seed, 'acts');
  let postgres: TestPostgres;
  let url: string;
  let servers: readonly TestApp[] = [];

  beforeAll(async () => {
    postgres = await startPostgres(programs ?? '');
    url = await postgres.createDatabase();
    const open = () => startApp({ DATABASE_URL: url }, { clock, dataFolder: folder });
    servers = [await open(), await open()];
  });

  afterAll(async () => {
    for (const server of servers) await server.stop();
    await postgres?.stop();
    removeFolder(folder);
  });

  function pick<T>(values: readonly T[]): T {
    const value = values[random.integer(values.length)];
    if (value === undefined) throw new Error('there is nothing to pick from');
    return value;
  }

  /** Creates a signed-in account with a license. */
  async function newPerson(name: string) {
    const server = pick(servers);
    const { services } = server;
    const email = `${name}@example.com`;
    const { id } = await services.accounts.create({ email, password: goodPassword, full_name: '' }, byCommand);
    const { license, license_key } = await services.licenseAdmin.issue({ userId: id }, byCommand);
    const { body } = await server.call('login', { body: { email, password: goodPassword } });
    const [token, refresh_token] = [String(body.access_token), String(body.refresh_token)];
    return { id, email, token, refresh_token, license: { id: license.id, key: license_key } };
  }

  async function newOwner(name: string): Promise<StaffBrowser> {
    const { email } = await newPerson(name);
    await pick(servers).services.staffAdmin.add(email, 'owner', byCommand);
    return signInStaff(pick(servers), email);
  }

  type Person = Awaited<ReturnType<typeof newPerson>>;

  /** Returns every action of an owner on either of them. */
  function actsOfOwner({ id, email, license }: Person): Act[] {
    const role = pick(['viewer', 'support', 'owner']);
    const device_id = numberedDeviceId(random.integer(3));
    const device = { license_key: license.key, device_id, device_name: 'Computer', platform: 'linux' };
    return [
      ['setStaffRole', { at: id, body: { role } }],
      ['addStaff', { body: { email, role } }],
      ['removeStaff', { at: id }],
      ['createStaffLink', { at: id }],
      ['deleteAccount', { at: id }],
      ['inviteAccount', { body: { email, plan: 'standard' } }],
      ['setAccountPassword', { at: id, body: { password: `${goodPassword} 2` } }],
      ['setAccountSubscription', { at: id, body: { plan: pick(['standard', 'free']), status: 'active' } }],
      ['endAccountSessions', { at: id }],
      ['issueLicense', { body: { email } }],
      ['replaceLicenseKeyOf', { at: license.id, body: {} }],
      ['signLease', { body: { request: device, email } }],
      ['suspendLicense', { at: license.id, body: {} }],
      ['reinstateLicense', { at: license.id, body: {} }],
      ['revokeLicense', { at: license.id, body: {} }],
      ['setLicenseExpiry', { at: license.id, body: { expires_at: '2030-01-01T00:00:00Z' } }],
      ['setLicenseMaxActivations', { at: license.id, body: { max_activations: 2 } }],
      ['releaseLicenseDevice', { at: [license.id, device_id] }],
      ['setPlan', { at: pick(['extra', 'standard']), body: { max_devices: 3, features: { csv_export: true } } }],
      ['setFeature', { at: 'raced', body: { title: { en: 'Raced' } } }],
      ['removeFeature', { at: 'raced', body: {} }],
      ['account', { at: id }],
    ];
  }

  /** Returns the actions of each of them, with either license. */
  function actsOfUser({ token, refresh_token }: Person, { license }: Person): Act[] {
    const device = { license_key: license.key, device_id: numberedDeviceId(random.integer(3)) };
    const password = goodPassword;
    return [
      ['activateLicense', { token, body: { ...device, device_name: 'Computer', platform: 'linux' } }],
      ['lease', { token, body: device }],
      ['heartbeat', { token, body: device }],
      ['apiKey', { token, body: {} }],
      ['subscriptionStatus', { token }],
      ['listActivations', { token }],
      ['refresh', { body: { refresh_token } }],
      ['logout', { body: { refresh_token, all_devices: true } }],
      ['changePassword', { token, body: { current_password: password, new_password: `${password} 3` } }],
      ['deleteOwnAccount', { token, body: { password } }],
    ];
  }

  it('answer whatever owners and users do at the same moment, without deadlocks', async () => {
    const owners = [await newOwner('owner-1'), await newOwner('owner-2')];
    const failures: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const people = [await newPerson(`one-${round}`), await newPerson(`two-${round}`)];
      await pick(servers).services.staffAdmin.add(pick(people).email, 'viewer', byCommand);
      const act = async () => {
        const isOwner = random.chance(0.6);
        const [name, call] = pick(isOwner ? actsOfOwner(pick(people)) : actsOfUser(pick(people), pick(people)));
        const { status, text } = await (isOwner ? pick(owners) : pick(servers)).call(name, call);
        // On a busy machine an action may exceed the time limit for a lock.
        if (status >= 500 && status !== 503) throw new Error(`${name}: ${status} ${text}`);
      };
      const results = await Promise.allSettled(Array.from({ length: actsAtOnce }, act));
      failures.push(...results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : [])));
    }
    expect(failures, `TEST_SEED=${seed}`).toEqual([]);
    const deadlocks = 'select deadlocks from pg_stat_database where datname = current_database()';
    expect(await query(url, deadlocks), `TEST_SEED=${seed}`).toEqual([{ deadlocks: '0' }]);
  });
});
