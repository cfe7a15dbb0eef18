/** Staff on PostgreSQL with two servers at once: what may happen only once happens once. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { createFirstLink } from '../../../server/staff/staff-link.ts';
import { systemRandom } from '../../../server/system-random.ts';
import { Authenticator } from '../../harness/authenticator.ts';
import { createFakeClock, day } from '../../harness/fake-clock.ts';
import { deadlocks, findPostgres, lockWaits, query, startPostgres, type TestPostgres } from '../../harness/postgres.ts';
import { StaffBrowser, signInStaff } from '../../harness/staff.ts';
import { startApp, type TestApp } from '../../harness/start-app.ts';
import { makeTemporaryFolder, removeFolder } from '../../harness/temporary-folder.ts';
import { goodPassword, newEmail } from '../../harness/users.ts';

const programs = findPostgres();
const origin = 'http://localhost:8470';
const clock = createFakeClock();

describe.skipIf(programs === undefined)('two servers on one PostgreSQL', () => {
  const folder = makeTemporaryFolder();
  let postgres: TestPostgres;
  let url: string;
  let servers: readonly [TestApp, TestApp];

  beforeAll(async () => {
    postgres = await startPostgres(programs ?? '');
    url = await postgres.createDatabase();
    const settings = { DATABASE_URL: url, LATCHKEY_PUBLIC_URL: origin };
    const open = () => startApp(settings, { clock, dataFolder: folder });
    servers = [await open(), await open()];
  });

  afterAll(async () => {
    for (const server of servers ?? []) await server.stop();
    await postgres?.stop();
    removeFolder(folder);
  });

  const browserOn = (index: number) => new StaffBrowser(servers[index % 2 === 0 ? 0 : 1]);

  it('create only one first administrator, however often the link is used at once', async () => {
    const token = (await createFirstLink({ ...servers[0], random: systemRandom }))?.token ?? '';
    const responses = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        browserOn(index).call('redeemWelcome', { body: { token, email: newEmail(), password: goodPassword } }),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toStrictEqual([200, 401, 401, 401, 401, 401]);
    expect(await servers[0].services.staffAdmin.list()).toHaveLength(1);
  });

  const newMember = async () => {
    const { services } = servers[0];
    const email = newEmail();
    await services.accounts.create({ email, password: goodPassword, full_name: '' }, byCommand);
    const { id } = await services.staffAdmin.add(email, 'owner', byCommand);
    return { id, email, browser: await signInStaff(servers[0], email) };
  };

  it('keep one owner when the last two remove each other at once', async () => {
    const { services } = servers[0];
    const [one, other] = [await newMember(), await newMember()];
    for (const { id } of await services.staffAdmin.list()) {
      if (id !== one.id && id !== other.id) await services.staffAdmin.remove(id, byCommand);
    }
    const results = await Promise.allSettled([
      servers[0].services.staffAdmin.remove(one.id, byCommand),
      servers[1].services.staffAdmin.remove(other.id, byCommand),
    ]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await services.staffAdmin.list()).toHaveLength(1);
  });

  const passkeyConfirmation = async ({ browser }: Awaited<ReturnType<typeof newMember>>) => {
    const authenticator = new Authenticator({ origin });
    const { options } = await browser.expectOk('addPasskeyOptions');
    const registered = authenticator.register(options as Record<string, unknown>);
    await browser.expectOk('addPasskey', { body: { name: 'Key', credential: registered } });
    const asked = await browser.expectOk('staffConfirmPasskeyOptions');
    const credential = authenticator.authenticate(asked.options as Record<string, unknown>);
    return () => browser.call('staffConfirmPasskey', { body: { credential } });
  };
  const signInAgain = async ({ email, browser }: Awaited<ReturnType<typeof newMember>>) => {
    return () => browser.signIn(email);
  };

  it.each([
    { does: 'confirms with a passkey', prepare: passkeyConfirmation, first: 'remove' },
    { does: 'signs in again', prepare: signInAgain, first: 'act' },
  ])('never deadlock when a member $does and is removed', async ({ prepare, first }) => {
    const member = await newMember();
    await newMember();
    const act = await prepare(member);
    const remove = () => servers[1].services.staffAdmin.remove(member.id, byCommand);
    const acting: Promise<unknown>[] = [];
    await servers[0].database.write(async (transaction) => {
      // Locks the session, as a request that records its use does.
      const session = transaction.selectFrom('staff_sessions').select('id').where('user_id', '=', member.id);
      await session.forNoKeyUpdate().execute();
      for (const begin of first === 'act' ? [act, remove] : [remove, act]) {
        acting.push(begin());
        await expect.poll(() => query(url, lockWaits)).toHaveLength(acting.length);
      }
    });
    await Promise.all(acting);
    expect((await member.browser.call('staffSession')).status).toBe(401);
    expect(await query(url, deadlocks)).toEqual([{ deadlocks: 0 }]);
  });

  it("recognize each other's sessions, and accept a passkey assertion only once", async () => {
    const { browser } = await newMember();
    const authenticator = new Authenticator({ origin });
    const { options } = await browser.expectOk('addPasskeyOptions');
    const credential = authenticator.register(options as Record<string, unknown>);
    await browser.expectOk('addPasskey', { body: { name: 'Key', credential } });
    const elsewhere = browserOn(1);
    elsewhere.cookie = browser.cookie;
    expect((await elsewhere.call('staffSession')).status).toBe(200);
    const { options: challenge } = await browserOn(1).expectOk('staffPasskeyOptions');
    const answer = authenticator.authenticate(challenge as Record<string, unknown>);
    const responses = await Promise.all(
      [0, 1, 2, 3].map((index) => browserOn(index).call('staffPasskeySignIn', { body: { credential: answer } })),
    );
    expect(responses.map(({ status }) => status).sort()).toStrictEqual([200, 401, 401, 401]);
  });

  it('respond to every list and every search text', async () => {
    const { browser } = await newMember();
    for (const name of ['accounts', 'licenses', 'devices', 'apiKeys', 'audit'] as const) {
      for (const query of [{}, { format: 'csv' }, { search: "a'\\%_" }, { after: 'x' }, { after: 'x y' }]) {
        expect((await browser.call(name, { query: query as Record<string, string> })).status).toBe(200);
      }
      for (const query of [{ search: '\0' }, { after: '\0' }, { after: '\ud800' }] as Record<string, string>[]) {
        expect([200, 400]).toContain((await browser.call(name, { query })).status);
      }
    }
    for (const at of ['\0', 'x', '\ud800'.toWellFormed()]) {
      for (const name of [
        'account',
        'license',
        'revokeLicense',
        'revokeApiKey',
        'removeStaff',
        'removePasskey',
        'memberPasskeys',
        'removeFeature',
        'setPlan',
      ] as const) {
        expect([400, 404]).toContain((await browser.call(name, { at })).status);
      }
    }
    const wrong = { plan: 'standard\0', email: 'a\0@example.com', version: '\0', hashes: {} };
    for (const name of ['issueLicense', 'createAccount', 'addStaff', 'publishInstallers'] as const) {
      expect([400, 404]).toContain((await browser.call(name, { body: { ...wrong, role: 'viewer' } })).status);
    }
  });

  it('both count towards the overview', async () => {
    const { browser } = await newMember();
    expect(await browser.expectOk('overview')).toMatchObject({ attention: expect.any(Array) });
    expect(await browser.expectOk('serverInfo')).toMatchObject({ database: { kind: 'postgres' } });
    clock.advance(day);
    const { statistics } = servers[0].services;
    await statistics.countEvents(async () => true);
    await statistics.countEvents(async () => true);
    await statistics.countTables(async () => true);
    const again = await signInStaff(servers[1], (await newMember()).email);
    const { days } = (await again.expectOk('overview')) as { days: { sign_ins: number }[] };
    expect(days.at(-2)?.sign_ins).toBeGreaterThan(3);
  });
});
