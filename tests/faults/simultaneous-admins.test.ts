/**
 * Owners, users and a billing provider act on the same two accounts and their licenses at the same moment, through two
 * servers with one PostgreSQL: each gets a documented response, and no two of them deadlock. PostgreSQL's responses are
 * delayed at random, so that transactions overlap in many ways. A seed, which a failure prints, determines which actions
 * meet; `TEST_SEED` repeats it, but not the order of execution.
 */
import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byCommand } from '../../server/audit/audit-event.ts';
import type { AnyEndpointName } from '../../server/http/endpoint-handler.ts';
import { createFakeClock } from '../harness/fake-clock.ts';
import { deadlocks, findPostgres, query, startPostgres, type TestPostgres } from '../harness/postgres.ts';
import { type StaffBrowser, signInStaff } from '../harness/staff.ts';
import { startApp, type TestApp } from '../harness/start-app.ts';
import { TcpProxy } from '../harness/tcp-proxy.ts';
import { makeTemporaryFolder, removeFolder } from '../harness/temporary-folder.ts';
import type { EndpointCall } from '../harness/test-client.ts';
import { goodPassword, numberedDeviceId } from '../harness/users.ts';
import { newStripePurchase, providerSettings, sendStripe, stripeEvents } from '../server/billing/provider-events.ts';
import { SeededRandom } from '../simulation/seeded-random.ts';

const programs = findPostgres();
const clock = createFakeClock();
const [rounds, actsAtOnce] = [10, 32];
const maxDelayMs = 20;
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
  });

  afterAll(async () => {
    for (const server of servers) await server.stop();
    await postgres?.stop();
    removeFolder(folder);
  });

  async function startServers() {
    const delays = new SeededRandom(seed, 'delays');
    const proxy = await TcpProxy.start(Number(new URL(url).port));
    proxy.delayResponses(() => (delays.chance(0.5) ? 0 : delays.integer(maxDelayMs)));
    const settings = {
      DATABASE_URL: proxy.through(url),
      LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:1',
      LATCHKEY_PUBLIC_URL: 'https://licenses.example.com',
      LATCHKEY_BILLING_ISSUE: '1',
      ...providerSettings,
    };
    const open = () => startApp(settings, { clock, dataFolder: folder });
    servers = [await open(), await open()];
  }

  function pick<T>(values: readonly T[]): T {
    const value = values[random.integer(values.length)];
    if (value === undefined) throw new Error('there is nothing to pick from');
    return value;
  }

  /** Creates a signed-in account with a subscription, an API key, and a license that is active on a device. */
  async function newPerson(name: string) {
    const server = pick(servers);
    const { services } = server;
    const email = `${name}@example.com`;
    const { id } = await services.accounts.create({ email, password: goodPassword, full_name: '' }, byCommand);
    const { license, license_key } = await services.licenseAdmin.issue({ userId: id }, byCommand);
    const { body } = await server.call('login', { body: { email, password: goodPassword } });
    const [token, refresh_token] = [String(body.access_token), String(body.refresh_token)];
    await services.subscriptions.set(id, { plan: 'advanced', status: 'active' }, byCommand);
    await server.call('apiKey', { token, body: {} });
    const device = { license_key, device_id: numberedDeviceId(0), device_name: 'Computer', platform: 'linux' };
    await server.call('activateLicense', { token, body: device });
    const apiKey = await services.apiKeyAdmin.get(id);
    return { id, email, token, refresh_token, apiKey, license: { id: license.id, key: license_key } };
  }

  async function newOwner(name: string): Promise<StaffBrowser> {
    const { email } = await newPerson(name);
    await pick(servers).services.staffAdmin.add(email, 'owner', byCommand);
    return signInStaff(pick(servers), email);
  }

  type Person = Awaited<ReturnType<typeof newPerson>>;

  /** Returns every action of an owner on either of them. */
  function actsOfOwner({ id, email, apiKey, license }: Person): Act[] {
    const role = pick(['viewer', 'support', 'owner']);
    const device_id = numberedDeviceId(random.integer(3));
    const device = { license_key: license.key, device_id, device_name: 'Computer', platform: 'linux' };
    const final: Act[] = [
      ['deleteAccount', { at: id }],
      ['revokeLicense', { at: license.id, body: {} }],
    ];
    return [
      ['setStaffRole', { at: id, body: { role } }],
      ['addStaff', { body: { email, role } }],
      ['removeStaff', { at: id }],
      ['createStaffLink', { at: id }],
      ['inviteAccount', { body: { email, plan: 'standard' } }],
      ['setAccountPassword', { at: id, body: { password: `${goodPassword} 2` } }],
      ['setAccountSubscription', { at: id, body: { plan: pick(['standard', 'free']), status: 'active' } }],
      ['endAccountSessions', { at: id }],
      ['revokeApiKey', { at: apiKey?.id ?? '' }],
      ['issueLicense', { body: { email } }],
      ['sendLicense', { at: license.id, body: { license_key: license.key, email } }],
      ['replaceLicenseKeyOf', { at: license.id, body: {} }],
      ['signLease', { body: { request: device, email } }],
      ['suspendLicense', { at: license.id, body: {} }],
      ['reinstateLicense', { at: license.id, body: {} }],
      ['setLicenseExpiry', { at: license.id, body: { expires_at: '2030-01-01T00:00:00Z' } }],
      ['setLicenseUpdatesUntil', { at: license.id, body: { updates_until: '2030-01-01T00:00:00Z' } }],
      ['setLicenseMaxActivations', { at: license.id, body: { max_activations: 2 } }],
      ['releaseLicenseDevice', { at: [license.id, device_id] }],
      ['setPlan', { at: pick(['extra', 'standard']), body: { max_devices: 3, features: { csv_export: true } } }],
      ['setFeature', { at: 'raced', body: { title: { en: 'Raced' } } }],
      ['removeFeature', { at: 'raced', body: {} }],
      ['account', { at: id }],
      // Rare, since little is left to do afterwards.
      ...(random.chance(0.3) ? final : []),
    ];
  }

  /** Returns the actions of each of them, with either license. */
  function actsOfUser({ email, token, refresh_token }: Person, { license }: Person): Act[] {
    const device = { license_key: license.key, device_id: numberedDeviceId(random.integer(3)) };
    const password = goodPassword;
    const new_password = `${password} 3`;
    const headers: Record<string, string> = random.chance(0.5) ? { 'idempotency-key': 'the same' } : {};
    return [
      ['activateLicense', { token, body: { ...device, device_name: 'Computer', platform: 'linux' } }],
      ['releaseActivation', { token, at: device.device_id, body: { license_key: license.key } }],
      ['replaceLicenseKey', { token, body: { password, license_id: license.id } }],
      ['lease', { token, body: device }],
      ['heartbeat', { token, body: device }],
      ['apiKey', { token, headers, body: {} }],
      ['subscriptionStatus', { token }],
      ['listActivations', { token }],
      ['login', { body: { email, password } }],
      ['refresh', { headers, body: { refresh_token } }],
      ['logout', { body: { refresh_token, all_devices: random.chance(0.5) } }],
      ['changePassword', { token, body: { current_password: password, new_password, refresh_token } }],
      ['forgotPassword', { body: { email } }],
      ['sendEmailConfirmation', { token }],
      ['changeEmail', { token, body: { email: `new-${email}`, password } }],
      ['exportAccount', { token, body: { password } }],
      ['deleteOwnAccount', { token, body: { password } }],
    ];
  }

  /** Returns what the provider reports of a subscription that each of them has bought. */
  function eventsOf({ email }: Person): object[] {
    const named = {
      customer: `cus_${email}`,
      subscription: `sub_${email}`,
      invoice: `in_${email}`,
      charge: `ch_${email}`,
    };
    const events = stripeEvents(newStripePurchase(email, { ...named, paymentIntent: `pi_${email}` }));
    const nowMs = clock.now();
    return [
      events.checkoutCompleted(nowMs),
      events.subscription('created', nowMs),
      events.subscription('updated', nowMs, nowMs, 'past_due'),
      events.subscription('deleted', nowMs),
      events.invoicePaid(nowMs),
      events.refunded(nowMs),
    ];
  }

  it('answer whatever owners and users do at the same moment, without deadlocks', async () => {
    await startServers();
    const owners = [await newOwner('owner-1'), await newOwner('owner-2')];
    const failures: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const people = [await newPerson(`one-${round}`), await newPerson(`two-${round}`)];
      await pick(servers).services.staffAdmin.add(pick(people).email, 'viewer', byCommand);
      const act = async () => {
        if (random.chance(0.15)) {
          const answered = await sendStripe(pick(servers), pick(eventsOf(pick(people))));
          if (answered >= 500 && answered !== 503) throw new Error(`Stripe: ${answered}`);
          return;
        }
        const isOwner = random.chance(0.5);
        const [name, call] = pick(isOwner ? actsOfOwner(pick(people)) : actsOfUser(pick(people), pick(people)));
        const { status, text } = await (isOwner ? pick(owners) : pick(servers)).call(name, call);
        // On a busy machine an action may exceed the time limit for a lock.
        if (status >= 500 && status !== 503) throw new Error(`${name}: ${status} ${text}`);
      };
      const results = await Promise.allSettled(Array.from({ length: actsAtOnce }, act));
      failures.push(...results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : [])));
    }
    expect(failures, `TEST_SEED=${seed}`).toEqual([]);
    expect(await query(url, deadlocks), `TEST_SEED=${seed}`).toEqual([{ deadlocks: 0 }]);
  });
});
