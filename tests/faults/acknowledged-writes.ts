/**
 * Writes to a server from several clients at once, and records what was acknowledged so that it can be checked later.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { httpTransport, stringIn, TestClient } from '../harness/test-client.ts';
import { goodPassword, newDeviceId, newEmail } from '../harness/users.ts';

export type Owner = { readonly token: string; readonly licenseKey: string };

type Account = { readonly refreshToken: string; readonly apiKey: string };

/** A session whose last request may or may not have been processed when the server died. */
export type Session = { token: string; idempotencyKey: string };

export class AcknowledgedWrites {
  readonly accounts: Account[] = [];
  readonly activationIds: string[] = [];
  refreshes = 0;

  count(): number {
    return this.accounts.length + this.activationIds.length + this.refreshes;
  }
}

type Call = TestClient['call'];

export function caller(url: string): Call {
  return new TestClient(httpTransport(url)).call;
}

/** Writes until the server is gone, and records what was acknowledged until then in `writes`. */
export async function writeUntilGone(
  url: string,
  owner: Owner,
  sessions: readonly Session[],
  writes: AcknowledgedWrites,
) {
  const call = caller(url);
  const clients = [
    ...Array.from({ length: 2 }, () => () => makeAccount(call, writes)),
    ...Array.from({ length: 4 }, () => () => activateDevice(call, owner, writes)),
    ...sessions.map((session) => () => refreshSession(call, session, writes)),
  ];
  await Promise.all(clients.map(repeatUntilGone));
}

async function repeatUntilGone(write: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await write();
    } catch (error) {
      // `fetch` throws a TypeError when the connection breaks; any other error is a finding.
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}

/** Makes two acknowledged writes: a sign-up and the first API key of the account. */
async function makeAccount(call: Call, writes: AcknowledgedWrites): Promise<void> {
  const signedUp = await call('signup', { body: { email: newEmail(), password: goodPassword } });
  expect(signedUp.status, signedUp.text).toBe(200);
  const token = stringIn(signedUp.body, 'access_token');
  const key = await call('apiKey', { token });
  expect(key.status, key.text).toBe(200);
  writes.accounts.push({
    refreshToken: stringIn(signedUp.body, 'refresh_token'),
    apiKey: stringIn(key.body, 'api_key'),
  });
}

async function activateDevice(call: Call, { token, licenseKey }: Owner, writes: AcknowledgedWrites): Promise<void> {
  const body = { license_key: licenseKey, device_id: newDeviceId() };
  const response = await call('activateLicense', { token, body });
  expect(response.status, response.text).toBe(200);
  writes.activationIds.push(stringIn(response.body, 'activation_id'));
}

/** Refreshes like our client: the key is chosen before the request is sent, and kept until a response has arrived. */
export async function refreshSession(call: Call, session: Session, writes: AcknowledgedWrites): Promise<void> {
  const headers = { 'idempotency-key': session.idempotencyKey };
  const response = await call('refresh', { body: { refresh_token: session.token }, headers });
  expect(response.status, response.text).toBe(200);
  session.token = stringIn(response.body, 'refresh_token');
  session.idempotencyKey = randomUUID();
  writes.refreshes += 1;
}

/** Expects that a server has everything that was acknowledged. */
export async function expectAllThere(url: string, owner: Owner, writes: AcknowledgedWrites): Promise<void> {
  const call = caller(url);
  const { body } = await call('listActivations', { token: owner.token });
  const present = new Set((body.activations as { activation_id: string }[]).map((each) => each.activation_id));
  expect(writes.activationIds.filter((id) => !present.has(id))).toStrictEqual([]);
  for (const { apiKey } of writes.accounts) {
    const response = await call('validateApiKey', { body: { api_key: apiKey } });
    expect(response.body, response.text).toMatchObject({ valid: true });
  }
}

/** Uses the refresh token of each account, which shows that its session was stored. */
export async function expectSessionsThere(url: string, writes: AcknowledgedWrites): Promise<void> {
  const call = caller(url);
  for (const { refreshToken } of writes.accounts) {
    const response = await call('refresh', { body: { refresh_token: refreshToken } });
    expect(response.status, response.text).toBe(200);
  }
}
