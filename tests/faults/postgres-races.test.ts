/**
 * Concurrent requests that decide on the same rows, on one server and on two with one PostgreSQL, behave as if they
 * came one by one.
 */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { byCommand } from '../../server/audit/audit-event.ts';
import { openPostgres } from '../../server/database/postgres-database.ts';
import { lockUser } from '../../server/database/row-locks.ts';
import { systemScheduler } from '../../server/scheduler.ts';
import type { StoredSecrets } from '../../server/secrets/secrets.ts';
import { createServices } from '../../server/services.ts';
import { readConfig } from '../../server/settings/config.ts';
import { createFirstLink } from '../../server/staff/staff-link.ts';
import { systemRandom } from '../../server/system-random.ts';
import {
  type Deployment,
  describeDeployments,
  inTurn,
  postgresWithoutRedis,
  type Stores,
  sharedServers,
} from '../harness/deployments.ts';
import { highLimits, limitsOff } from '../harness/environment.ts';
import { createFakeClock } from '../harness/fake-clock.ts';
import { fixedSecrets } from '../harness/fixed-secrets.ts';
import type { HttpServer } from '../harness/http-server.ts';
import { deadlocks, findPostgres, lockWaits, patientTimeouts, query } from '../harness/postgres.ts';
import { sharedPostgres } from '../harness/shared-postgres.ts';
import { temporaryFolder } from '../harness/test-admin.ts';
import type { TestResponse } from '../harness/test-client.ts';
import {
  activate,
  activateInTime,
  goodPassword,
  issueLicense,
  newDeviceId,
  newEmail,
  signUp,
  subscriber,
} from '../harness/users.ts';

const programs = findPostgres();

describeDeployments(postgresWithoutRedis, races);

function races(deployment: Deployment, stores: Stores): void {
  const shared = sharedServers(deployment, stores, highLimits);

  /** Sends `count` requests at once, to the servers in turn. */
  const atOnce = <T>(count: number, send: (server: HttpServer, index: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => send(inTurn(shared.servers, index), index)));

  it('activate a license for five on exactly five of two hundred devices', async () => {
    const server = inTurn(shared.servers, 0);
    const user = await signUp(server);
    const { key } = await issueLicense(server, '--email', user.email, '--max-activations', '5');
    const all = await atOnce(200, async (each) => (await activateInTime(each, user, key)).response);
    expect(countBy(all)).toEqual({ ok: 5, MAX_ACTIVATIONS_REACHED: 195 });
    const numbers = all.flatMap(({ status, body }) => (status === 200 ? [Number(body.activations)] : []));
    expect(numbers.sort()).toEqual([1, 2, 3, 4, 5]);
  });

  it('assign a license without an owner to only one of two accounts', async () => {
    const server = inTurn(shared.servers, 0);
    const users = [await signUp(server), await signUp(server)] as const;
    const { key } = await issueLicense(server, '--max-activations', '50');
    const all = await atOnce(40, (each, index) => activateInTime(each, users[index % 2 === 0 ? 0 : 1], key));
    expect(countBy(all.map(({ response }) => response))).toEqual({ ok: 20, LICENSE_NOT_FOUND: 20 });
    const owners = await Promise.all(
      users.map(async ({ token }) => (await server.call('subscriptionStatus', { token })).body.license),
    );
    expect(owners).toContainEqual(null);
    expect(owners).toContainEqual(expect.objectContaining({ activations: 20 }));
  });

  it('never give more devices a lease or an activation than the license allows, whatever is released in between', async () => {
    const user = await signUp(inTurn(shared.servers, 0));
    const { key } = await issueLicense(inTurn(shared.servers, 0), '--email', user.email, '--max-activations', '3');
    const leased = new Set<string>();
    const passOn = async (index: number) => {
      for (let round = 0; round < 4; round++) {
        const server = inTurn(shared.servers, index + round);
        const { deviceId, activationId, response } = await activate(server, user, key);
        if (response.status !== 200) continue;
        const lease = () => server.call('lease', { token: user.token, body: { device_id: deviceId } });
        const release = () =>
          inTurn(shared.servers, index + round + 1).call('releaseActivation', { token: user.token, at: activationId });
        // A lease and the release of its device at the same time: either the lease is refused, or the place is
        // reserved.
        const [given] = await Promise.all(index % 2 === 0 ? [lease(), release()] : [lease()]);
        if (given.status === 200) leased.add(deviceId);
        if (index % 2 !== 0) await release();
      }
    };
    await Promise.all(Array.from({ length: 12 }, (_, index) => passOn(index)));
    const { body } = await inTurn(shared.servers, 0).call('listActivations', { token: user.token });
    const active = (body.activations as { device_id: string }[]).map(({ device_id }) => device_id);
    expect(leased.size).toBeGreaterThan(0);
    expect(new Set([...leased, ...active]).size).toBeLessThanOrEqual(3);
    const { body: status } = await inTurn(shared.servers, 1).call('subscriptionStatus', { token: user.token });
    expect(status.license).toMatchObject({ activations: new Set([...leased, ...active]).size, max_activations: 3 });
  });

  it('release a device only once', async () => {
    const server = inTurn(shared.servers, 0);
    const user = await signUp(server);
    const { key } = await issueLicense(server, '--email', user.email);
    const { activationId } = await activate(server, user, key);
    const all = await atOnce(20, (each) => each.call('releaseActivation', { token: user.token, at: activationId }));
    expect(countBy(all)).toEqual({ ok: 1, NOT_FOUND: 19 });
  });

  it('rotate a refresh token once, and end the session whose token is reused', async () => {
    const { refreshToken } = await signUp(inTurn(shared.servers, 0));
    const all = await atOnce(20, (each) => refresh(each, refreshToken));
    expect(countBy(all)).toEqual({ ok: 1, INVALID_TOKEN: 19 });
    const [successor] = all.filter(({ status }) => status === 200).map(({ body }) => String(body.refresh_token));
    expect((await refresh(inTurn(shared.servers, 1), successor ?? '')).body.code).toBe('INVALID_TOKEN');
  });

  it('give every refresh with the same Idempotency-Key the same successor', async () => {
    const { refreshToken } = await signUp(inTurn(shared.servers, 0));
    const idempotencyKey = randomUUID();
    const all = await atOnce(20, (each) => refresh(each, refreshToken, idempotencyKey));
    expect(countBy(all)).toEqual({ ok: 20 });
    expect(new Set(all.map(({ body }) => body.refresh_token)).size).toBe(1);
  });

  it('leave one valid API key if many are generated', async () => {
    const server = inTurn(shared.servers, 0);
    const user = await subscriber(server, 'advanced');
    const all = await atOnce(20, (each) => each.call('apiKey', { token: user.token, body: { regenerate: true } }));
    expect(countBy(all)).toEqual({ ok: 20 });
    const validations = await atOnce(20, async (each, index) => {
      const api_key = String(all[index]?.body.api_key);
      return (await each.call('validateApiKey', { body: { api_key } })).body.valid;
    });
    expect(validations.filter((isValid) => isValid === true)).toHaveLength(1);
  });

  it('create only one account per email', async () => {
    const body = { email: newEmail(), password: goodPassword };
    const all = await atOnce(8, (each) => each.call('signup', { body }));
    expect(countBy(all)).toEqual({ ok: 1, EMAIL_EXISTS: 7 });
  });

  it('keep all changes to a plan', async () => {
    const flags = ['csv_export', 'api_access', 'session_recording', 'signal_filtering'];
    await atOnce(4, (each, index) => each.runProcess(['plan', 'set', 'raced', '--feature', `${flags[index]}=true`]));
    const plans = (await inTurn(shared.servers, 0).admin('plan', 'list')) as unknown as {
      name: string;
      features: object;
    }[];
    const raced = plans.find(({ name }) => name === 'raced');
    expect(raced?.features).toMatchObject(Object.fromEntries(flags.map((flag) => [flag, true])));
  });

  it('publish installers of only one version', async () => {
    const hash = `sha256:${'ab'.repeat(32)}`;
    const words = (version: number) => ['installer', 'publish', `${version}.0.0`, '--linux-amd64', hash];
    await atOnce(4, (each, index) =>
      each.runProcess([...words(index), ...(index % 2 === 0 ? ['--windows-x64', hash] : [])]),
    );
    const rows = await query(shared.admin.settings.DATABASE_URL ?? '', 'select distinct version from installers');
    expect(rows).toHaveLength(1);
  });
}

describe.skipIf(programs === undefined)('a write that another one waits for', () => {
  const postgres = sharedPostgres();

  const open = async () => {
    const url = await postgres.createDatabase();
    const clock = createFakeClock();
    const database = await openPostgres(url, clock, patientTimeouts);
    onTestFinished(() => database.close());
    const config = readConfig(limitsOff);
    const deps = {
      config,
      database,
      secrets: fixedSecrets as StoredSecrets,
      clock,
      random: systemRandom,
      scheduler: systemScheduler,
      logger: pino({ level: 'silent' }),
    };
    return { url, clock, database, services: createServices(deps) };
  };

  it('a password change also ends the session of a sign-in that was confirmed just before it', async () => {
    const { url, database, services } = await open();
    const { accounts, passwords, auth } = services;
    const email = newEmail();
    await accounts.create({ email, password: goodPassword, full_name: '' }, byCommand);
    const account = await passwords.findLoginAccount(email);
    const login = await passwords.verify(account, goodPassword, { group: '', isPreferred: true, isUniform: false });
    let changing: Promise<unknown> | undefined;
    await database.write(async (transaction) => {
      await passwords.confirmLogin(transaction, login);
      changing = passwords.set(email, `${goodPassword} 2`, byCommand);
      await expect.poll(() => query(url, lockWaits)).toHaveLength(1);
      await transaction
        .insertInto('sessions')
        .values({ id: 'raced', user_id: login.user.id, created_at_ms: 0, expires_at_ms: 0, revoked_at_ms: null })
        .execute();
    });
    await changing;
    const rows = await query(url, 'select revoked_at_ms from sessions');
    expect(rows).toEqual([{ revoked_at_ms: expect.anything() }]);
    await expect(
      auth.login({ email, password: goodPassword }, { address: '192.0.2.1', userAgent: '', language: 'en' }),
    ).rejects.toThrow();
  });

  it('a sign-out everywhere does not deadlock with another write that ends all sessions of the account', async () => {
    const { url, database, services } = await open();
    const { accounts, auth, passwords } = services;
    const email = newEmail();
    const { id } = await accounts.create({ email, password: goodPassword, full_name: '' }, byCommand);
    const client = { address: '192.0.2.1', userAgent: '', language: 'en' } as const;
    const { refresh_token } = await auth.login({ email, password: goodPassword }, client);
    const changed = await passwords.prepare({ id, email }, `${goodPassword} 2`);
    let signingOut: Promise<unknown> | undefined;
    await database.write(async (transaction) => {
      await lockUser(transaction, id);
      signingOut = auth.logout(refresh_token, { allDevices: true, address: client.address });
      signingOut.catch(() => undefined);
      await expect.poll(() => query(url, lockWaits)).toHaveLength(1);
      await passwords.apply(transaction, changed, byCommand);
    });
    await expect(signingOut).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
    expect(await query(url, deadlocks)).toEqual([{ deadlocks: 0 }]);
  });

  it('a session that is refreshed from another network while its account is deleted never deadlocks with that', async () => {
    const { url, database, services } = await open();
    const { accounts, auth } = services;
    const email = newEmail();
    const { id } = await accounts.create({ email, password: goodPassword, full_name: '' }, byCommand);
    const browser = { address: '192.0.2.1', userAgent: '', language: 'en' } as const;
    const { refresh_token } = await auth.login({ email, password: goodPassword }, browser);
    const acting: Promise<unknown>[] = [];
    await database.write(async (transaction) => {
      // Locks the session, as another refresh does.
      await transaction.selectFrom('sessions').select('id').where('user_id', '=', id).forNoKeyUpdate().execute();
      acting.push(auth.refresh(refresh_token, { idempotencyKey: undefined, address: '192.0.2.2' }));
      await expect.poll(() => query(url, lockWaits)).toHaveLength(1);
      acting.push(accounts.removeById(id, byCommand));
      await expect.poll(() => query(url, lockWaits)).toHaveLength(2);
    });
    await Promise.all(acting);
    expect(await query(url, deadlocks)).toEqual([{ deadlocks: 0 }]);
  });

  it('an activation succeeds however many webhook endpoints are removed at the same moment', async () => {
    const { url, database, services } = await open();
    const { accounts, licenseAdmin, licenses, webhooks } = services;
    const user = await accounts.create({ email: newEmail(), password: goodPassword, full_name: '' }, byCommand);
    const { license_key } = await licenseAdmin.issue({ userId: user.id }, byCommand);
    const removals: Client[] = [];
    for (let count = 0; count < 5; count++) {
      const { id } = await webhooks.add(`https://192.0.2.1/${count}`, ['license.activated'], byCommand);
      const client = new Client({ connectionString: url });
      await client.connect();
      onTestFinished(() => client.end());
      await client.query('begin');
      await client.query('delete from webhook_endpoints where id = $1', [id]);
      removals.push(client);
    }
    const device = { device_id: newDeviceId(), device_name: '', platform: '' };
    const activating = licenses.activate(user.id, { license_key, ...device }, byCommand);
    activating.catch(() => undefined);
    for (const removal of removals) {
      await Promise.race([activating, expect.poll(() => query(url, lockWaits)).toHaveLength(1)]);
      await removal.query('commit');
    }
    await activating;
    expect(await database.read.selectFrom('event_deliveries').select('id').execute()).toEqual([]);
  });

  it('a device that is being released gets no lease, since another device may take its place', async () => {
    const { url, database, services } = await open();
    const { accounts, licenseAdmin, licenses, leases } = services;
    const user = await accounts.create({ email: newEmail(), password: goodPassword, full_name: '' }, byCommand);
    const { license, license_key } = await licenseAdmin.issue({ userId: user.id }, byCommand);
    const device_id = newDeviceId();
    await licenses.activate(user.id, { license_key, device_id, device_name: '', platform: '' }, byCommand);
    let leasing: Promise<unknown> | undefined;
    await database.write(async (transaction) => {
      // Locks the license row, as a release does.
      await transaction.selectFrom('licenses').select('id').where('id', '=', license.id).forNoKeyUpdate().execute();
      await transaction
        .updateTable('activations')
        .set({ released_at_ms: 1 })
        .where('device_id', '=', device_id)
        .execute();
      leasing = leases.issue(user.id, device_id, byCommand);
      leasing.catch(() => undefined);
      await expect.poll(() => query(url, lockWaits)).toHaveLength(1);
    });
    await expect(leasing).rejects.toMatchObject({ code: 'LICENSE_INACTIVE' });
  });

  it('a device gets no lease on a license that it is activated on meanwhile, where another may replace it', async () => {
    const { url, clock, database, services } = await open();
    const { accounts, licenseAdmin, licenses, leases } = services;
    const user = await accounts.create({ email: newEmail(), password: goodPassword, full_name: '' }, byCommand);
    const first = await licenseAdmin.issue({ userId: user.id }, byCommand);
    // Of two licenses on a device, the newest counts.
    clock.advance(1000);
    const second = await licenseAdmin.issue({ userId: user.id }, byCommand);
    const device_id = newDeviceId();
    const activateOn = ({ license_key }: typeof first) =>
      licenses.activate(user.id, { license_key, device_id, device_name: '', platform: '' }, byCommand);
    await activateOn(first);
    let leasing: ReturnType<typeof leases.issue> | undefined;
    await database.write(async (transaction) => {
      // Locks the license row, as an activation does.
      const { id } = first.license;
      await transaction.selectFrom('licenses').select('id').where('id', '=', id).forNoKeyUpdate().execute();
      leasing = leases.issue(user.id, device_id, byCommand);
      leasing.catch(() => undefined);
      await expect.poll(() => query(url, lockWaits)).toHaveLength(1);
      await activateOn(second);
    });
    const { lease } = (await leasing) ?? { lease: '' };
    const claims = JSON.parse(Buffer.from(lease.split('.')[1] ?? '', 'base64url').toString());
    expect(claims.license).toBe(first.license.key_preview);
  });

  it('a member of staff who is removed while signing in is not signed in', async () => {
    const { url, database, services } = await open();
    const { accounts, staffAdmin, staffSignIn } = services;
    const email = newEmail();
    const { id } = await accounts.create({ email, password: goodPassword, full_name: '' }, byCommand);
    await staffAdmin.add(email, 'viewer', byCommand);
    let signingIn: Promise<unknown> | undefined;
    await database.write(async (transaction) => {
      // Deletes the member, as a removal does.
      await transaction.deleteFrom('staff').where('user_id', '=', id).execute();
      const browser = { address: '192.0.2.1', userAgent: '', previousToken: undefined };
      signingIn = staffSignIn.signIn({ email, password: goodPassword }, browser);
      signingIn.catch(() => undefined);
      await expect.poll(() => query(url, lockWaits)).toHaveLength(1);
    });
    await expect(signingIn).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
  });

  it('a one-time link of staff that a new password voids meanwhile sets no other password', async () => {
    const { url, database, services } = await open();
    const { accounts, passwords, staffAdmin, staffSignIn } = services;
    const email = newEmail();
    const { id } = await accounts.create({ email, password: goodPassword, full_name: '' }, byCommand);
    await staffAdmin.add(email, 'owner', byCommand);
    const { token } = await staffAdmin.createLink(id, byCommand);
    const own = await passwords.prepare({ id, email }, `${goodPassword} 2`);
    const browser = { address: '192.0.2.1', userAgent: '' };
    let redeeming: Promise<unknown> | undefined;
    await database.write(async (transaction) => {
      await lockUser(transaction, id);
      redeeming = staffSignIn.redeem({ token, password: `${goodPassword} 3` }, browser);
      redeeming.catch(() => undefined);
      await expect.poll(() => query(url, lockWaits)).toHaveLength(1);
      await passwords.apply(transaction, own, byCommand);
    });
    await expect(redeeming).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
    await staffSignIn.signIn({ email, password: `${goodPassword} 2` }, browser);
  });

  it('the link for the first administrator does not replace a password that the user of the account chooses meanwhile', async () => {
    const { url, clock, database, services } = await open();
    const { accounts, passwords, staffSignIn } = services;
    const email = newEmail();
    const { id } = await accounts.create({ email, full_name: '' }, byCommand);
    const link = await createFirstLink({ database, clock, random: systemRandom });
    const own = await passwords.prepare({ id, email }, goodPassword);
    let redeeming: Promise<unknown> | undefined;
    await database.write(async (transaction) => {
      await lockUser(transaction, id);
      const request = { token: link?.token ?? '', email, password: `${goodPassword} 2` };
      redeeming = staffSignIn.redeem(request, { address: '192.0.2.1', userAgent: '' });
      redeeming.catch(() => undefined);
      await expect.poll(() => query(url, lockWaits)).toHaveLength(1);
      await passwords.apply(transaction, own, byCommand);
    });
    await expect(redeeming).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
    const account = await passwords.findLoginAccount(email);
    await passwords.verify(account, goodPassword, { group: '', isPreferred: true, isUniform: false });
  });

  it.each([
    { what: 'a license', act: 'issue' },
    { what: 'the new key of a license', act: 'replace' },
    { what: 'a webhook endpoint', act: 'addWebhook' },
  ] as const)(
    'a member of staff whose account is deleted meanwhile gets INVALID_TOKEN instead of $what',
    async ({ act }) => {
      const { url, database, services } = await open();
      const { accounts, licenseAdmin, licenseKeys, webhooks } = services;
      const { license } = await licenseAdmin.issue({}, byCommand);
      const { id: userId } = await accounts.create({ email: newEmail(), full_name: '' }, byCommand);
      const idempotent = { userId, content: act, idempotencyKey: 'one' };
      const acts = {
        issue: () => licenseAdmin.issue({ idempotent }, byCommand),
        replace: () => licenseKeys.replace(license.id, { send: false, language: 'en', idempotent }, byCommand),
        addWebhook: () => webhooks.add('https://127.0.0.1/', [], byCommand, idempotent),
      };
      let acting: Promise<unknown> | undefined;
      await database.write(async (transaction) => {
        await transaction.deleteFrom('users').where('id', '=', userId).execute();
        acting = acts[act]();
        acting.catch(() => undefined);
        await expect.poll(() => query(url, lockWaits)).toHaveLength(1);
      });
      await expect(acting).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
    },
  );

  it('a license is refused if its account is deleted during the import, and the others are imported', async () => {
    const { url, database, services } = await open();
    const { accounts, imports } = services;
    const [gone, there] = [newEmail(), newEmail()];
    const [deleted] = [
      await accounts.create({ email: gone, password: goodPassword, full_name: '' }, byCommand),
      await accounts.create({ email: there, password: goodPassword, full_name: '' }, byCommand),
    ];
    const file = join(temporaryFolder(), 'licenses.csv');
    writeFileSync(file, `license_key,email\nSVC-AAAA-BBBB-CCCC-DDD1,${gone}\nSVC-AAAA-BBBB-CCCC-DDD2,${there}\n`);
    let importing: ReturnType<typeof imports.run> | undefined;
    await database.write(async (transaction) => {
      await transaction.deleteFrom('users').where('id', '=', deleted.id).execute();
      importing = imports.run({ kind: 'licenses', file, dryRun: false, by: byCommand });
      importing.catch(() => undefined);
      await expect.poll(() => query(url, lockWaits)).toHaveLength(1);
    });
    expect(await importing).toMatchObject({ imported: 1 });
  });

  it('an API key in two concurrent imports is imported once, so that a revoked one stays revoked', async () => {
    const { url, database, services } = await open();
    const { accounts, imports } = services;
    const email = newEmail();
    const { id } = await accounts.create({ email, password: goodPassword, full_name: '' }, byCommand);
    const file = join(temporaryFolder(), 'keys.csv');
    writeFileSync(file, `email,key,expires_at\n${email},key-of-another-system-1,2030-01-01\n`);
    let importing: ReturnType<typeof imports.run>[] = [];
    await database.write(async (transaction) => {
      await lockUser(transaction, id);
      importing = [1, 2].map(() => imports.run({ kind: 'api-keys', file, dryRun: false, by: byCommand }));
      await expect.poll(() => query(url, lockWaits)).toHaveLength(2);
    });
    const reports = await Promise.all(importing);
    expect(reports.map(({ imported }) => imported).sort()).toEqual([0, 1]);
    expect(await query(url, 'select user_id from api_keys')).toHaveLength(1);
  });
});

function refresh(server: HttpServer, token: string, idempotencyKey?: string): Promise<TestResponse> {
  const headers: Record<string, string> = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
  return server.call('refresh', { body: { refresh_token: token }, headers });
}

/** Returns the number of successful responses, and of each error code. */
function countBy(responses: readonly TestResponse[]): Record<string, number> {
  const groups = Object.groupBy(responses, ({ status, body }) => (status === 200 ? 'ok' : String(body.code)));
  return Object.fromEntries(Object.entries(groups).map(([name, group]) => [name, group?.length ?? 0]));
}
