/** Clients of one or more servers that send requests continuously, and record what was acknowledged and refused. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { inTurn } from '../harness/deployments.ts';
import type { HttpServer } from '../harness/http-server.ts';
import { stringIn, type TestResponse } from '../harness/test-client.ts';
import { activate, anotherSession, issueLicense, newDeviceId, signUp, type User } from '../harness/users.ts';

const recoveryTimeoutMs = 120_000;

/** Sends requests of several kinds continuously, and records what was acknowledged. */
export class Clients {
  readonly #servers: readonly HttpServer[];
  readonly #user: User;
  readonly #licenseKey: string;
  readonly #sessions: { token: string; idempotencyKey: string }[];
  readonly #activationIds: string[] = [];
  readonly #devices: string[] = [];
  /** Unused refresh tokens. */
  readonly #signIns: string[] = [];
  readonly #refused: TestResponse[] = [];
  readonly #working: readonly Promise<void>[];
  #successes = 0;
  #isOver = false;
  #turn = 0;

  static async start(servers: readonly HttpServer[]): Promise<Clients> {
    const [server] = servers;
    if (!server) throw new Error('there is no server');
    const user = await signUp(server);
    const { key } = await issueLicense(server, '--email', user.email, '--max-activations', '1000000');
    const tokens = [await anotherSession(server, user), await anotherSession(server, user)];
    const clients = new Clients(servers, user, key, tokens);
    onTestFinished(() => {
      clients.#isOver = true;
    });
    return clients;
  }

  private constructor(servers: readonly HttpServer[], user: User, licenseKey: string, tokens: readonly string[]) {
    this.#servers = servers;
    this.#user = user;
    this.#licenseKey = licenseKey;
    this.#sessions = tokens.map((token) => ({ token, idempotencyKey: randomUUID() }));
    const work = [
      ...this.#sessions.map((session) => () => this.#refresh(session)),
      ...Array.from({ length: 3 }, () => () => this.#activate()),
      ...Array.from({ length: 6 }, () => () => this.#heartbeat()),
      () => this.#signIn(),
    ];
    this.#working = work.map((send) => this.#repeat(send));
  }

  /** Resolves when every server is ready and requests succeed again. */
  async succeed(): Promise<void> {
    for (const server of this.#servers) {
      await expect.poll(() => readyStatus(server), { timeout: recoveryTimeoutMs }).toBe(200);
    }
    const before = this.#successes;
    await expect.poll(() => this.#successes, { timeout: recoveryTimeoutMs }).toBeGreaterThan(before + 30);
  }

  /** Resolves when at least this many requests have been refused; each refusal must be a 503 with Retry-After. */
  async fail(atLeast = 6): Promise<void> {
    const before = this.#refused.length;
    await expect
      .poll(() => this.#refused.length, { timeout: recoveryTimeoutMs })
      .toBeGreaterThanOrEqual(before + atLeast);
  }

  /** Returns the number of acknowledged writes by kind. */
  acknowledged(): Readonly<Record<'activations' | 'heartbeats' | 'signIns', number>> {
    const [activations, heartbeats, signIns] = [this.#activationIds, this.#devices, this.#signIns];
    return { activations: activations.length, heartbeats: heartbeats.length, signIns: signIns.length };
  }

  /** Expects every acknowledged write in the database that `ask` queries. */
  async expectAllThere(ask: (text: string) => Promise<Record<string, unknown>[]>): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#working);
    for (const { status, headers, text } of this.#refused) {
      expect(status, text).toBe(503);
      expect(headers.get('retry-after')).toMatch(/^\d+$/);
    }
    const activations = new Set((await ask('select id from activations')).map(({ id }) => id));
    expect(this.#activationIds.filter((id) => !activations.has(id))).toEqual([]);
    const devices = new Set((await ask('select device_id from device_activity')).map((row) => row.device_id));
    expect(this.#devices.filter((id) => !devices.has(id))).toEqual([]);
    for (const token of this.#signIns) {
      const { status, text } = await this.#server().call('refresh', { body: { refresh_token: token } });
      expect(status, text).toBe(200);
    }
    for (const session of this.#sessions) {
      await expect.poll(async () => (await this.#refresh(session)).status, { timeout: recoveryTimeoutMs }).toBe(200);
    }
  }

  async #repeat(send: () => Promise<TestResponse>): Promise<void> {
    while (!this.#isOver) {
      const response = await send();
      if (response.status === 200) this.#successes++;
      else this.#refused.push(response);
      if (response.status !== 200) await sleep(20);
    }
  }

  /** Refreshes like our client: the key is chosen before the request is sent, and kept until a response has arrived. */
  async #refresh(session: { token: string; idempotencyKey: string }): Promise<TestResponse> {
    const headers = { 'idempotency-key': session.idempotencyKey };
    const response = await this.#server().call('refresh', { body: { refresh_token: session.token }, headers });
    if (response.status !== 200) return response;
    session.token = stringIn(response.body, 'refresh_token');
    session.idempotencyKey = randomUUID();
    return response;
  }

  async #activate(): Promise<TestResponse> {
    const { response, activationId } = await activate(this.#server(), this.#user, this.#licenseKey);
    if (response.status === 200) this.#activationIds.push(activationId);
    return response;
  }

  async #heartbeat(): Promise<TestResponse> {
    const device_id = newDeviceId();
    const response = await this.#server().call('heartbeat', { token: this.#user.token, body: { device_id } });
    if (response.status === 200) this.#devices.push(device_id);
    return response;
  }

  async #signIn(): Promise<TestResponse> {
    const { email, password } = this.#user;
    const response = await this.#server().call('login', { body: { email, password } });
    if (response.status === 200) this.#signIns.push(stringIn(response.body, 'refresh_token'));
    return response;
  }

  /** Returns the servers in turn. */
  #server(): HttpServer {
    return inTurn(this.#servers, this.#turn++);
  }
}

async function readyStatus(server: HttpServer): Promise<number> {
  return (await server.request('GET', '/readyz')).status;
}
