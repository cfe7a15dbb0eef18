/**
 * Every endpoint, while what its request is about is deleted by somebody else: before each query and write of each
 * request. The response is documented and no server error, and tells only those who are signed out that they are.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { tableOrder } from '../../server/database/tables.ts';
import { type AnyEndpointName, findEndpoint } from '../../server/http/endpoint-handler.ts';
import { adminEndpointSettings, callEveryAdminEndpoint } from '../conformance/every-admin-endpoint.ts';
import { callEveryEndpoint } from '../conformance/every-endpoint.ts';
import { second } from '../harness/fake-clock.ts';
import { interfereBefore } from '../harness/interference.ts';
import { startTestApp, type TestApp } from '../harness/start-app.ts';
import type { EndpointCall, TestResponse } from '../harness/test-client.ts';
import type { TestServer } from '../harness/test-server.ts';
import { startOidcProvider } from '../server/oidc/server-with-provider.ts';

const records = ['licenses', 'subscriptions', 'webhook_endpoints', 'billing_events', 'update_versions', 'installers'];

/** What another connection deletes, as SQL: all accounts and what belongs to them, or those of users and all records. */
const deletions: readonly string[] = [
  'delete from users',
  ['users where id not in (select user_id from staff)', ...records].map((rows) => `delete from ${rows}`).join(';'),
];

/** Another connection to the database of an app, which can restore it as it was. */
class OtherConnection {
  readonly #connection: DatabaseSync;

  constructor({ dataFolder }: TestApp) {
    this.#connection = new DatabaseSync(join(dataFolder, 'latchkey.db'), { timeout: 5000 });
    this.#connection.exec("pragma synchronous = off; attach ':memory:' as kept");
    for (const table of tableOrder) this.#connection.exec(`create table kept.${table} as select * from ${table}`);
  }

  readonly keep = (): void => {
    for (const table of tableOrder) this.#copy('main', 'kept', table);
  };

  readonly restore = (): void => {
    this.#connection.exec('pragma foreign_keys = off; begin immediate');
    for (const table of tableOrder) this.#copy('kept', 'main', table);
    this.#connection.exec('commit');
  };

  readonly run = (sql: string): void =>
    this.#connection.exec(`pragma foreign_keys = on; begin immediate; ${sql}; commit`);

  readonly close = (): void => this.#connection.close();

  #copy(from: string, to: string, table: string): void {
    this.#connection.exec(`delete from ${to}.${table}; insert into ${to}.${table} select * from ${from}.${table}`);
  }
}

class InterruptedClient {
  requests = 0;
  readonly #app: TestApp;
  readonly #other: OtherConnection;

  constructor(app: TestApp) {
    this.#app = app;
    this.#other = new OtherConnection(app);
    onTestFinished(this.#other.close);
  }

  get server(): TestServer {
    const { dataFolder, request, admin, now } = this.#app;
    return { dataFolder, request, admin, now, call: this.call };
  }

  /** Makes the call with every deletion at every moment, and then without. */
  readonly call = async (name: AnyEndpointName, options: EndpointCall = {}): Promise<TestResponse> => {
    this.#other.keep();
    for (const sql of deletions) await this.#callWith(sql, name, options);
    return this.#app.call(name, options);
  };

  async #callWith(sql: string, name: AnyEndpointName, options: EndpointCall): Promise<void> {
    for (let act = 0, isOver = false; !isOver; act++) {
      const { result, acts } = await interfereBefore(act, {
        database: this.#app.database,
        interfere: async () => this.#other.run(sql),
        work: () => this.#app.call(name, options),
      });
      this.requests += 1;
      isOver = act >= acts;
      const at = `${name}, "${sql}" before act ${act} of ${acts}: ${result.text}`;
      expect(result.status, at).toBeLessThan(500);
      if (result.body.code === 'INVALID_TOKEN' && findEndpoint(name).auth !== 'none') {
        expect((await this.#app.call(name, options)).body.code, at).toBe('INVALID_TOKEN');
      }
      this.#other.restore();
      // Another connection's changes are seen later, and staff may send only so many requests a minute.
      this.#app.clock.advance(second);
      this.#app.clock.setNow(this.#app.now() - second);
    }
  }
}

const sqlite = { sync: async () => {} };

it('an endpoint of the API whose data is deleted at any moment responds as documented', async () => {
  const client = new InterruptedClient(await startTestApp({}, { sqlite }));
  await callEveryEndpoint(client.server);
  expect(client.requests).toBeGreaterThan(300);
});

it('an endpoint of the admin page whose data is deleted at any moment responds as documented', async () => {
  const { settings } = await startOidcProvider();
  const all = { ...adminEndpointSettings, ...settings, LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:1' };
  const client = new InterruptedClient(await startTestApp(all, { sqlite }));
  await callEveryAdminEndpoint(client.server);
  expect(client.requests).toBeGreaterThan(700);
});
