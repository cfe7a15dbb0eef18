/** What servers cache of accounts matches the database: their responses after changes made anywhere. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Admin } from '../harness/admin.ts';
import type { Settings } from '../harness/environment.ts';
import { type HttpServer, openHttpServer } from '../harness/http-server.ts';
import { findPostgres, startPostgres, type TestPostgres } from '../harness/postgres.ts';
import { makeTemporaryFolder, removeFolder } from '../harness/temporary-folder.ts';
import { stringIn } from '../harness/test-client.ts';
import {
  activate,
  anotherSession,
  goodPassword,
  issueLicense,
  subscribe,
  subscriber,
  type User,
} from '../harness/users.ts';

/** Other processes see a change within 100 ms (server/docs/postgresql.md), and not much later on a busy machine. */
const noticedWithinMs = 5000;

type Member = User & {
  readonly apiKey: string;
  readonly license: { readonly key: string; readonly id: string };
  readonly deviceId: string;
  readonly activationId: string;
};

/** Returns everything that a server says about the member. */
async function answersOf(server: HttpServer, { token, apiKey, license, deviceId }: Member) {
  const device = { device_id: deviceId };
  const [key, validation, status, heartbeat] = await Promise.all([
    server.call('validateApiKey', { body: { api_key: apiKey } }),
    server.call('validateLicense', { token, body: { ...device, license_key: license.key } }),
    server.call('subscriptionStatus', { token }),
    server.call('heartbeat', { token, body: device }),
  ]);
  return {
    key:
      key.body.valid === true
        ? { csvExport: (key.body.features as { csv_export: boolean }).csv_export }
        : key.body.code,
    license: validation.status === 200 ? (validation.body.code ?? validation.body.activations) : validation.body.code,
    isActivated: validation.body.already_activated_on_device,
    plan: (status.body.subscription as { plan?: string } | undefined)?.plan ?? status.body.code,
    warning: heartbeat.body.warning ?? heartbeat.body.code,
  };
}

/** Expects that the server says this about the member as soon as it has noticed a change, and still says so after. */
async function expectSoon(server: HttpServer, member: Member, answers: object): Promise<void> {
  await expect.poll(() => answersOf(server, member), { timeout: noticedWithinMs }).toStrictEqual(answers);
  expect(await answersOf(server, member)).toStrictEqual(answers);
}

const good = { key: { csvExport: true }, license: 1, isActivated: true, plan: 'standard', warning: undefined };
const signedOut = { license: 'INVALID_TOKEN', isActivated: undefined, plan: 'INVALID_TOKEN', warning: 'INVALID_TOKEN' };
const notActivated = 'This device is not activated on your license.';

type Change = {
  readonly name: string;
  /** Makes the change with a request to that server. */
  request?(server: HttpServer, member: Member): Promise<unknown>;
  /** Makes the change with a command in a process separate from both servers. */
  command?(server: HttpServer, member: Member): Promise<unknown>;
  readonly after: object;
};

const changes: readonly Change[] = [
  {
    name: 'an API key is regenerated',
    request: (server, { token }) => server.call('apiKey', { token, body: { regenerate: true } }),
    after: { ...good, key: 'INVALID_API_KEY' },
  },
  {
    name: 'an API key is revoked',
    command: (server, { email }) => server.admin('api-key', 'revoke', email),
    after: { ...good, key: 'INVALID_API_KEY' },
  },
  {
    name: 'a device is released',
    request: (server, { token, activationId }) => server.call('releaseActivation', { token, at: activationId }),
    after: { ...good, license: 0, isActivated: false, warning: notActivated },
  },
  {
    name: 'a device is released by an admin',
    command: (server, { license, deviceId }) => server.admin('license', 'release', license.id, deviceId),
    after: { ...good, license: 0, isActivated: false, warning: notActivated },
  },
  {
    name: 'another device is activated',
    request: (server, member) => activate(server, member, member.license.key),
    after: { ...good, license: 2 },
  },
  {
    name: 'a license is suspended',
    command: (server, { license }) => server.admin('license', 'set', license.id, '--status', 'inactive'),
    after: { ...good, license: 'LICENSE_INACTIVE', isActivated: undefined },
  },
  {
    name: 'a license is revoked',
    command: (server, { license }) => server.admin('license', 'set', license.id, '--status', 'revoked'),
    after: { ...good, license: 'LICENSE_REVOKED', isActivated: undefined },
  },
  {
    name: 'a subscription ends',
    command: (server, member) => subscribe(server, member, 'standard', '--status', 'canceled'),
    after: { ...good, key: 'SUBSCRIPTION_INACTIVE' },
  },
  {
    name: 'a session ends',
    request: (server, { refreshToken }) => server.call('logout', { body: { refresh_token: refreshToken } }),
    after: { ...good, ...signedOut },
  },
  {
    name: 'every session ends',
    request: async (server, member) =>
      server.call('logout', { body: { refresh_token: await anotherSession(server, member), all_devices: true } }),
    after: { ...good, ...signedOut },
  },
  {
    name: 'a password is changed',
    command: (server, { email }) =>
      server.run(['user', 'password', email, '--password-stdin', '--json'], `${goodPassword} 2`),
    after: { ...good, ...signedOut },
  },
  {
    name: 'an account is deleted',
    command: (server, { email }) => server.admin('user', 'delete', email),
    after: { ...signedOut, key: 'INVALID_API_KEY' },
  },
];

const programs = findPostgres();

describe.each(['SQLite', 'PostgreSQL'] as const)('two servers on %s', (kind) => {
  describe.skipIf(kind === 'PostgreSQL' && programs === undefined)('and separate commands', () => {
    const folder = makeTemporaryFolder();
    let postgres: TestPostgres | undefined;
    let servers: readonly [HttpServer, HttpServer];

    beforeAll(async () => {
      if (kind === 'PostgreSQL') postgres = await startPostgres(programs ?? '');
      const settings: Settings = postgres ? { DATABASE_URL: await postgres.createDatabase() } : {};
      const open = () => openHttpServer(new Admin(folder, settings));
      servers = [await open(), await open()];
    });

    afterAll(async () => {
      for (const server of servers ?? []) await server.stop();
      await postgres?.stop();
      removeFolder(folder);
    });

    /** Creates a member, with everything cached that the servers may cache. */
    async function knownMember(): Promise<Member> {
      const [server] = servers;
      const user = await subscriber(server);
      const license = await issueLicense(server, '--email', user.email);
      const { deviceId, activationId } = await activate(server, user, license.key);
      const apiKey = stringIn((await server.call('apiKey', { token: user.token })).body, 'api_key');
      const member = { ...user, apiKey, license, deviceId, activationId };
      for (let times = 0; times < 3; times++) {
        for (const each of servers) expect(await answersOf(each, member)).toStrictEqual(good);
      }
      return member;
    }

    /** Sends requests continuously during the change, so that cached data is also read and loaded in the meantime. */
    async function whileAsking(member: Member, work: () => Promise<unknown>): Promise<void> {
      let isDone = false;
      const askers = servers.map(async (server) => {
        while (!isDone) await answersOf(server, member);
      });
      await work();
      isDone = true;
      await Promise.all(askers);
    }

    it.each(changes)('answer correctly after $name', async ({ request, command, after }) => {
      for (const [changed, other] of [servers, [servers[1], servers[0]]] as const) {
        const member = await knownMember();
        await whileAsking(member, async () => {
          await (request ?? command)?.(changed, member);
          if (request) expect(await answersOf(changed, member)).toStrictEqual(after);
        });
        for (const server of [other, changed]) await expectSoon(server, member, after);
        if (command) break;
      }
    });

    it('answer accounts of a plan correctly after it is changed', async () => {
      const member = await knownMember();
      const set = (value: boolean) => servers[0].admin('plan', 'set', 'standard', '--feature', `csv_export=${value}`);
      await whileAsking(member, () => set(false));
      for (const server of servers) await expectSoon(server, member, { ...good, key: { csvExport: false } });
      await set(true);
      for (const server of servers) await expectSoon(server, member, good);
    });
  });
});
