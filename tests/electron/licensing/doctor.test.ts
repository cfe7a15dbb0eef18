/** The connection doctor: what stands between this device and the server, found without guessing. */
import { describe, expect, it, vi } from 'vitest';
import { createDoctor } from '../../../electron/licensing/doctor.ts';
import type { DoctorStep } from '../../../shared/ipc/doctor.ts';
import { createFakePlatform } from '../fake-platform.ts';
import { refusal } from './scripted-server.ts';
import { type Desk, startDesk, startSignedInDesk } from './start-client.ts';

const notPublished = { error: 'Not configured', message: 'No hashes.' };

async function findings({ client }: Desk): Promise<Partial<Record<DoctorStep['step'], string>>> {
  const report = await client.runDoctor();
  if (!report.ok) throw new Error('the doctor never refuses');
  return Object.fromEntries(report.value.steps.map(({ step, finding }) => [step, finding]));
}

async function stepOf({ client }: Desk, wanted: DoctorStep['step']): Promise<DoctorStep | undefined> {
  const report = await client.runDoctor();
  return report.ok ? report.value.steps.find(({ step }) => step === wanted) : undefined;
}

function tellTime({ platform }: Desk, aheadMs: number): void {
  const date = new Date(platform.clock.now() - aheadMs).toUTCString();
  platform.http.on('GET /binary-hash', { status: 404, headers: { date }, json: notPublished });
}

describe('the connection doctor', () => {
  it('finds nothing wrong where nothing is', async () => {
    const desk = await startSignedInDesk();
    tellTime(desk, 90_000);
    expect(await findings(desk)).toEqual({
      address: 'address-valid',
      response: 'server-responds',
      'license-server': 'license-server',
      clock: 'clock-in-sync',
      session: 'session-accepted',
    });
  });

  it('says nothing of a session where nobody is signed in, nor of a clock that is not told', async () => {
    expect(await findings(await startDesk())).toMatchObject({ clock: 'clock-unknown', session: 'signed-out' });
  });

  it('does not try an address that is none', async () => {
    const { http, clock } = createFakePlatform();
    const { signal } = new AbortController();
    const askSession = vi.fn();
    const report = await createDoctor({ http, clock, signal, askSession, serverAddress: () => 'http://far.example' })();
    expect(report.steps.map(({ finding }) => finding)).toEqual(['address-invalid', ...Array(4).fill('skipped')]);
    expect(http.requests).toEqual([]);
    expect(askSession).not.toHaveBeenCalled();
  });

  it.each([
    ['ECONNREFUSED', 'connection-refused'],
    ['ENOTFOUND', 'host-not-found'],
    ['EAI_AGAIN', 'host-not-found'],
    ['CERT_HAS_EXPIRED', 'certificate'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timed-out'],
    ['ENETUNREACH', 'unreachable'],
  ])('names the cause of silence: %s', async (code, finding) => {
    const desk = await startSignedInDesk();
    Object.assign(desk.platform.http, { send: async () => ({ ok: false, reason: 'unreachable', message: code }) });
    expect(await stepOf(desk, 'response')).toEqual({ step: 'response', finding, detail: code });
    expect(await findings(desk)).toMatchObject({
      'license-server': 'skipped',
      clock: 'skipped',
      session: 'skipped',
    });
  });

  it('keeps the words of the transport to itself where they are no code', async () => {
    const desk = await startDesk();
    desk.platform.http.cut({ fails: 'unreachable' });
    expect(await stepOf(desk, 'response')).toEqual({ step: 'response', finding: 'unreachable', detail: null });
  });

  it.each([
    [{ status: 200, text: '<html>Welcome to the hotel</html>' }, 'not-a-license-server'],
    [{ status: 302, headers: { location: 'https://hotel.example' }, text: '' }, 'not-a-license-server'],
    [{ status: 200, json: { hello: 'world' } }, 'not-a-license-server'],
    [{ fails: 'too-large' }, 'not-a-license-server'],
    [{ status: 502, text: 'Bad gateway' }, 'busy'],
    [refusal(429, 'RATE_LIMITED'), 'busy'],
    [{ status: 404, json: notPublished }, 'license-server'],
    [refusal(404, 'NOT_FOUND'), 'license-server'],
    [{ json: { version: '4.2.0', hashes: {}, updated_at: '2026-03-03T09:00:00.000Z' } }, 'license-server'],
  ] as const)('tells a license server from what only answers: %j', async (reply, finding) => {
    const desk = await startSignedInDesk();
    desk.platform.http.on('GET /binary-hash', reply);
    expect(await findings(desk)).toMatchObject({ response: 'server-responds', 'license-server': finding });
  });

  it('shows the session to nothing that is not a license server', async () => {
    const desk = await startSignedInDesk();
    desk.platform.http.on('GET /binary-hash', { status: 200, text: '<html>Welcome</html>' });
    const before = desk.platform.http.requests.length;
    await findings(desk);
    expect(desk.platform.http.requests.slice(before).map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  it.each([
    [12 * 60_000, 'clock-ahead'],
    [-12 * 60_000, 'clock-behind'],
  ])('measures the clock by the server’s: %d ms', async (aheadMs, finding) => {
    const desk = await startDesk();
    tellTime(desk, aheadMs);
    expect(await stepOf(desk, 'clock')).toEqual({ step: 'clock', finding, detail: '12 min' });
  });

  it('tells an ended session from one that could not be asked about', async () => {
    const ended = await startSignedInDesk();
    ended.server.accessTokens.clear();
    ended.platform.http.on('POST /auth/refresh', refusal(401, 'INVALID_TOKEN'));
    expect(await findings(ended)).toMatchObject({ session: 'session-rejected' });
    const limited = await startSignedInDesk();
    limited.platform.http.on('GET /subscription/status', refusal(429, 'RATE_LIMITED'));
    const report = findings(limited);
    await limited.platform.clock.advance(60_000);
    expect(await report).toMatchObject({ session: 'session-unknown' });
  });
});
