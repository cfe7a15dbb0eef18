/** The connection doctor: what is wrong between this device and the server, found without guessing. */
import { describe, expect, it, vi } from 'vitest';
import { ConnectionDoctor } from '../../../electron/licensing/doctor.ts';
import type { DoctorStep } from '../../../shared/ipc/doctor.ts';
import { settings } from '../../../shared/ipc/settings.ts';
import { createFakePlatform } from '../fake-platform.ts';
import { errorReply } from './scripted-server.ts';
import { startSignedIn, startTestClient, type TestClient } from './start-client.ts';

const notPublished = { error: 'Not configured', message: 'No hashes.' };

async function findings({ client }: TestClient): Promise<Partial<Record<DoctorStep['step'], string>>> {
  const report = await client.runDoctor();
  if (!report.ok) throw new Error('the doctor never fails');
  return Object.fromEntries(report.value.steps.map(({ step, finding }) => [step, finding]));
}

async function stepOf({ client }: TestClient, name: DoctorStep['step']): Promise<DoctorStep | undefined> {
  const report = await client.runDoctor();
  return report.ok ? report.value.steps.find(({ step }) => step === name) : undefined;
}

function setServerTime({ platform }: TestClient, aheadMs: number): void {
  const date = new Date(platform.clock.now() - aheadMs).toUTCString();
  platform.http.on('GET /binary-hash', { status: 404, headers: { date }, json: notPublished });
}

describe('the connection doctor', () => {
  it('finds nothing wrong with a good connection', async () => {
    const testClient = await startSignedIn();
    setServerTime(testClient, 90_000);
    expect(await findings(testClient)).toEqual({
      address: 'address-valid',
      response: 'server-responds',
      'license-server': 'license-server',
      clock: 'clock-in-sync',
      session: 'session-accepted',
    });
  });

  it('reports no session while signed out, and no clock without a Date', async () => {
    expect(await findings(await startTestClient())).toMatchObject({ clock: 'clock-unknown', session: 'signed-out' });
  });

  it('does not call an invalid address', async () => {
    const { http, clock } = createFakePlatform();
    const { signal } = new AbortController();
    const loadStatus = vi.fn();
    const current = { serverAddress: 'http://far.example', settings: settings.parse({}) };
    const session = { user: { id: 'ada', email: 'ada@lab.org', full_name: 'Ada' } };
    const doctor = new ConnectionDoctor({
      ...{ http, clock, signal, session },
      preferences: { current },
      deviceLicense: { loadStatus },
    });
    const report = await doctor.run();
    expect(report.steps.map(({ finding }) => finding)).toEqual(['address-invalid', ...Array(4).fill('skipped')]);
    expect(http.requests).toEqual([]);
    expect(loadStatus).not.toHaveBeenCalled();
  });

  it.each([
    ['ECONNREFUSED', 'connection-refused'],
    ['ENOTFOUND', 'host-not-found'],
    ['EAI_AGAIN', 'host-not-found'],
    ['CERT_HAS_EXPIRED', 'certificate'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'unknown-authority'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'unknown-authority'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unknown-authority'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'unknown-authority'],
    ['PROXY_AUTHENTICATION', 'proxy-authentication'],
    ['ERR_NAME_NOT_RESOLVED', 'host-not-found'],
    ['ERR_CONNECTION_REFUSED', 'connection-refused'],
    ['ERR_CERT_AUTHORITY_INVALID', 'unknown-authority'],
    ['ERR_CERT_DATE_INVALID', 'certificate'],
    ['ERR_SSL_PROTOCOL_ERROR', 'certificate'],
    ['ERR_CONNECTION_TIMED_OUT', 'timed-out'],
    ['ERR_PROXY_CONNECTION_FAILED', 'proxy'],
    ['ERR_TUNNEL_CONNECTION_FAILED', 'proxy'],
    ['ERR_PROXY_AUTH_REQUESTED', 'proxy-authentication'],
    ['ERR_INTERNET_DISCONNECTED', 'unreachable'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timed-out'],
    ['ENETUNREACH', 'unreachable'],
  ])('names the cause of a failed connection: %s', async (code, finding) => {
    const testClient = await startSignedIn();
    Object.assign(testClient.platform.http, {
      send: async () => ({ ok: false, reason: 'unreachable', message: code }),
    });
    expect(await stepOf(testClient, 'response')).toEqual({ step: 'response', finding, detail: code });
    expect(await findings(testClient)).toMatchObject({
      'license-server': 'skipped',
      clock: 'skipped',
      session: 'skipped',
    });
  });

  it('does not show the message of the transport unless it is a code', async () => {
    const testClient = await startTestClient();
    testClient.platform.http.cut({ fails: 'unreachable' });
    expect(await stepOf(testClient, 'response')).toEqual({ step: 'response', finding: 'unreachable', detail: null });
  });

  it.each([
    [{ status: 200, text: '<html>Welcome to the hotel</html>' }, 'not-a-license-server'],
    [{ status: 302, headers: { location: 'https://hotel.example' }, text: '' }, 'not-a-license-server'],
    [{ status: 200, json: { hello: 'world' } }, 'not-a-license-server'],
    [{ fails: 'too-large' }, 'not-a-license-server'],
    [{ status: 502, text: 'Bad gateway' }, 'busy'],
    [errorReply(429, 'RATE_LIMITED'), 'busy'],
    [{ status: 404, json: notPublished }, 'license-server'],
    [errorReply(404, 'NOT_FOUND'), 'license-server'],
    [{ json: { version: '4.2.0', hashes: {}, updated_at: '2026-03-03T09:00:00.000Z' } }, 'license-server'],
  ] as const)('distinguishes a license server from anything else that responds: %j', async (reply, finding) => {
    const testClient = await startSignedIn();
    testClient.platform.http.on('GET /binary-hash', reply);
    expect(await findings(testClient)).toMatchObject({ response: 'server-responds', 'license-server': finding });
  });

  it('sends the session only to a license server', async () => {
    const testClient = await startSignedIn();
    testClient.platform.http.on('GET /binary-hash', { status: 200, text: '<html>Welcome</html>' });
    const before = testClient.platform.http.requests.length;
    await findings(testClient);
    expect(testClient.platform.http.requests.slice(before).map(({ headers }) => headers.authorization)).toEqual([
      undefined,
    ]);
  });

  it.each([
    [12 * 60_000, 'clock-ahead'],
    [-12 * 60_000, 'clock-behind'],
  ])('compares the clock with the server’s: %d ms', async (aheadMs, finding) => {
    const testClient = await startTestClient();
    setServerTime(testClient, aheadMs);
    expect(await stepOf(testClient, 'clock')).toEqual({ step: 'clock', finding, detail: '12 min' });
  });

  it('distinguishes an ended session from one that could not be checked', async () => {
    const ended = await startSignedIn();
    ended.server.accessTokens.clear();
    ended.platform.http.on('POST /auth/refresh', errorReply(401, 'INVALID_TOKEN'));
    expect(await findings(ended)).toMatchObject({ session: 'session-rejected' });
    const limited = await startSignedIn();
    limited.platform.http.on('GET /subscription/status', errorReply(429, 'RATE_LIMITED'));
    const report = findings(limited);
    await limited.platform.clock.advance(60_000);
    expect(await report).toMatchObject({ session: 'session-unknown' });
  });
});
