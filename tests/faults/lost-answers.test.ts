/**
 * Row 7 of the matrix: the response of each request is lost after the server has processed it, at every endpoint. The
 * client sends the same request again and continues; afterwards the database is as if nothing had been lost.
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Tables, tableOrder } from '../../server/database/tables.ts';
import { type AnyEndpointName, findEndpoint } from '../../server/http/endpoint-handler.ts';
import { adminEndpointSettings, callEveryAdminEndpoint } from '../conformance/every-admin-endpoint.ts';
import { callEveryEndpoint } from '../conformance/every-endpoint.ts';
import { startSmtpServer } from '../harness/mails.ts';
import { startTestApp, type TestApp } from '../harness/start-app.ts';
import type { EndpointCall, TestResponse } from '../harness/test-client.ts';
import type { TestServer } from '../harness/test-server.ts';
import { startOidcProvider } from '../server/oidc/server-with-provider.ts';
import { amount, reportFigures, rowTimeout } from './matrix-run.ts';

const row = 7;

/** The error code for a repeated request that cannot be processed twice, which tells the client that it was done. */
const doneAlready: Partial<Record<AnyEndpointName, string>> = {
  signup: 'EMAIL_EXISTS',
  accountSignOut: 'INVALID_TOKEN',
  endSession: 'NOT_FOUND',
  releaseActivation: 'NOT_FOUND',
  deleteOwnAccount: 'INVALID_TOKEN',
  changePassword: 'INVALID_TOKEN',
  redeemWelcome: 'INVALID_TOKEN',
  // The session has a new secret by then, which only the lost response contained: the member signs in again.
  staffConfirm: 'INVALID_TOKEN',
  staffConfirmPasskey: 'INVALID_TOKEN',
  changeStaffPassword: 'INVALID_TOKEN',
  staffSignOut: 'INVALID_TOKEN',
  endStaffSession: 'NOT_FOUND',
  // A signed passkey challenge is accepted only once.
  addPasskey: 'INVALID_CREDENTIALS',
  staffPasskeySignIn: 'INVALID_CREDENTIALS',
  removePasskey: 'NOT_FOUND',
  removeStaff: 'NOT_FOUND',
  createAccount: 'EMAIL_EXISTS',
  deleteAccount: 'NOT_FOUND',
  removeFeature: 'NOT_FOUND',
  revokeApiKey: 'CONFLICT',
  releaseLicenseDevice: 'NOT_FOUND',
  removeWebhook: 'NOT_FOUND',
  withdrawUpdate: 'NOT_FOUND',
};

/**
 * Tables in which a repeated request may add a row: audit events, and sessions and links that the client does not have.
 */
const mayGrow: readonly (keyof Tables)[] = ['audit_events', 'sessions', 'refresh_tokens', 'staff_sessions', 'mails'];

class LossyClient {
  readonly unexpected: string[] = [];
  readonly repeated = new Set<AnyEndpointName>();
  /** Endpoints whose second request added rows, with the table. */
  readonly added = new Set<string>();
  lost = 0;
  readonly #app: TestApp;
  readonly #countsRows: boolean;

  constructor(app: TestApp, countsRows: boolean) {
    this.#app = app;
    this.#countsRows = countsRows;
  }

  get server(): TestServer {
    const { dataFolder, request, admin, now } = this.#app;
    return { dataFolder, request, admin, now, call: this.call };
  }

  /**
   * Loses the first response. If the second one says that it was already done, the client gets the first one after all.
   */
  readonly call = async (name: AnyEndpointName, options: EndpointCall = {}): Promise<TestResponse> => {
    const takesKey = Object.keys(findEndpoint(name).headers ?? {}).includes('idempotency-key');
    const headers = { ...(takesKey && { 'idempotency-key': randomUUID() }), ...options.headers };
    const lost = await this.#app.call(name, { ...options, headers });
    const before = this.#countsRows ? await countRows(this.#app) : {};
    const again = await this.#app.call(name, { ...options, headers });
    const after = this.#countsRows ? await countRows(this.#app) : {};
    for (const [table, count] of Object.entries(after)) {
      if (count > (before[table] ?? 0)) this.added.add(`${name}: ${table}`);
    }
    this.lost += 1;
    this.repeated.add(name);
    if (again.status === lost.status) return again;
    if (again.body.code !== doneAlready[name]) this.unexpected.push(`${name}: ${lost.status}, then ${again.text}`);
    return lost;
  };
}

async function countRows({ database }: TestApp): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of tableOrder) {
    const rows = await database.read
      .selectFrom(table)
      .select(({ fn }) => fn.countAll().as('count'))
      .execute();
    if (!mayGrow.includes(table)) counts[table] = Number(rows[0]?.count);
  }
  return counts;
}

describe('a client that loses every response and asks again', () => {
  it('reaches the same state at each endpoint of the API', { timeout: rowTimeout() }, async () => {
    const app = await startTestApp();
    const plain = await startTestApp();
    const client = new LossyClient(app, false);
    const rounds = Math.max(1, Math.ceil(amount(row) / 38));
    for (let round = 0; round < rounds; round++) {
      await callEveryEndpoint(client.server);
      await callEveryEndpoint(plain);
      expect(client.unexpected, `round ${round}`).toStrictEqual([]);
    }
    expect(await countRows(app)).toStrictEqual(await countRows(plain));
    reportFigures(row, {
      amount: `${client.lost} answers`,
      figures: { 'endpoints of the API': client.repeated.size, 'lost there': client.lost },
    });
  });

  it('reaches the same state at each endpoint of the admin page', { timeout: rowTimeout() }, async () => {
    const { url } = await startSmtpServer();
    const { settings } = await startOidcProvider();
    const all = { ...adminEndpointSettings, ...settings, LATCHKEY_SMTP_URL: url };
    const rounds = Math.max(1, Math.floor(amount(row) / 250));
    const repeated = new Set<AnyEndpointName>();
    let lost = 0;
    for (let round = 0; round < rounds; round++) {
      const app = await startTestApp(all);
      const client = new LossyClient(app, round === 0);
      await callEveryAdminEndpoint(client.server);
      expect(client.unexpected, `round ${round}`).toStrictEqual([]);
      expect([...client.added], `round ${round}`).toStrictEqual([]);
      for (const name of client.repeated) repeated.add(name);
      lost += client.lost;
    }
    reportFigures(row, {
      amount: `${amount(row)} answers`,
      figures: { 'endpoints of the admin page': repeated.size, 'lost at the admin page': lost },
    });
  });
});
