/** The connection doctor: makes one harmless request and evaluates, step by step, what is wrong with the connection. */
import { apiRoot, endpoints } from '../../shared/api/endpoints.ts';
import type { DoctorFinding, DoctorReport, DoctorStep } from '../../shared/ipc/doctor.ts';
import { type ApiResult, readResponse } from './api-response.ts';
import type { DeviceLicense } from './device-license.ts';
import { toTimestamp } from './failure.ts';
import type { Clock, Http, HttpResponse, HttpResult } from './platform.ts';
import type { Preferences } from './preferences.ts';
import { normalizeServerAddress } from './server-address.ts';
import type { Session } from './session.ts';
import { clockToleranceMs } from './trusted-time.ts';

export type ConnectionDoctorDeps = {
  readonly http: Http;
  readonly clock: Clock;
  readonly preferences: Pick<Preferences, 'current'>;
  readonly session: Pick<Session, 'user'>;
  readonly deviceLicense: Pick<DeviceLicense, 'loadStatus'>;
  readonly signal: AbortSignal;
};

type Found = Pick<DoctorStep, 'finding' | 'detail'>;

const timeoutMs = 10_000;
const maxResponseBytes = 1024 * 1024;

export class ConnectionDoctor {
  readonly #deps: ConnectionDoctorDeps;

  constructor(deps: ConnectionDoctorDeps) {
    this.#deps = deps;
  }

  /** Never rejects. Sends the session only to what has responded as a license server. */
  async run(): Promise<DoctorReport> {
    const { clock, preferences } = this.#deps;
    const { serverAddress } = preferences.current;
    const address = evaluateAddress(serverAddress ?? '');
    const isValid = serverAddress !== null && address.finding === 'address-valid';
    const result = isValid ? await this.#callServer(serverAddress) : null;
    const nowMs = clock.now();
    const response = result === null ? skipped : evaluateResponse(result);
    const server = response.finding === 'server-responds' && result ? evaluateServer(result, nowMs) : skipped;
    const isServer = server.finding === 'license-server' || server.finding === 'busy';
    const time = isServer && result?.ok ? evaluateClock(result.response, nowMs) : skipped;
    const session = server.finding === 'license-server' ? await this.#checkSession() : skipped;
    return {
      at: toTimestamp(nowMs),
      serverAddress,
      steps: [
        { step: 'address', ...address },
        { step: 'response', ...response },
        { step: 'license-server', ...server },
        { step: 'clock', ...time },
        { step: 'session', ...session },
      ],
    };
  }

  #callServer(serverAddress: string): Promise<HttpResult> {
    const { http, signal } = this.#deps;
    const { method, path } = endpoints.installerHashes;
    const headers = { accept: 'application/json' };
    return http.send({ method, url: serverAddress + apiRoot + path, headers, timeoutMs, maxResponseBytes, signal });
  }

  async #checkSession(): Promise<Found> {
    const { session, deviceLicense } = this.#deps;
    return session.user ? evaluateSession(await deviceLicense.loadStatus()) : found('signed-out');
  }
}

const skipped: Found = { finding: 'skipped', detail: null };

function evaluateAddress(address: string): Found {
  return normalizeServerAddress(address) === null ? found('address-invalid', address) : found('address-valid');
}

/** A response that is too large is a response all the same; the next step says what it is. */
function evaluateResponse(result: HttpResult): Found {
  if (result.ok || result.reason === 'too-large') return found('server-responds');
  if (result.reason === 'timeout') return found('timed-out');
  const code = /^[A-Z][A-Z0-9_]+$/.test(result.message) ? result.message : null;
  return found(networkFinding(code ?? ''), code);
}

/** Nobody known has signed the certificate: the codes of OpenSSL and Chromium. */
const unknownAuthority =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(?:GET_ISSUER_CERT|VERIFY)\w*|ERR_CERT_AUTHORITY_INVALID)$/;

/** The codes are those of Node, OpenSSL and undici, or in Electron those of Chromium (`net_error_list.h`). */
function networkFinding(code: string): DoctorFinding {
  if (['ENOTFOUND', 'EAI_AGAIN', 'ERR_NAME_NOT_RESOLVED'].includes(code)) return 'host-not-found';
  if (['ECONNREFUSED', 'ERR_CONNECTION_REFUSED'].includes(code)) return 'connection-refused';
  if (code === 'PROXY_AUTHENTICATION' || code === 'ERR_PROXY_AUTH_REQUESTED') return 'proxy-authentication';
  if (/^ERR_(?:PROXY|TUNNEL|MANDATORY_PROXY|SOCKS)/.test(code)) return 'proxy';
  if (unknownAuthority.test(code)) return 'unknown-authority';
  if (/CERT|SELF_SIGNED|UNABLE_TO|^ERR_(?:TLS|SSL)/.test(code)) return 'certificate';
  if (['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'ERR_TIMED_OUT', 'ERR_CONNECTION_TIMED_OUT'].includes(code))
    return 'timed-out';
  return 'unreachable';
}

/** A license server sends installer hashes, their own 404, or any error in the API's envelope. */
function evaluateServer(result: HttpResult, nowMs: number): Found {
  if (!result.ok) return found('not-a-license-server');
  const { response } = result;
  const detail = `HTTP ${response.status}`;
  if (response.status === 429 || response.status >= 500) return found('busy', detail);
  const { kind } = readResponse(endpoints.installerHashes, response, { nowMs, secrets: [] });
  return kind === 'inconclusive' ? found('not-a-license-server', detail) : found('license-server');
}

/** Compares the server's `Date` with this machine's wall clock. */
function evaluateClock({ headers }: HttpResponse, nowMs: number): Found {
  const aheadMs = nowMs - Date.parse(headers.date ?? '');
  if (!Number.isFinite(aheadMs)) return found('clock-unknown');
  if (Math.abs(aheadMs) <= clockToleranceMs) return found('clock-in-sync');
  const minutes = Math.round(Math.abs(aheadMs) / 60_000);
  return found(aheadMs > 0 ? 'clock-ahead' : 'clock-behind', `${minutes} min`);
}

function evaluateSession(result: ApiResult<unknown>): Found {
  if (result.kind !== 'inconclusive') return found('session-accepted');
  const { code } = result.failure;
  return found(code === 'INVALID_TOKEN' || code === 'TOKEN_EXPIRED' ? 'session-rejected' : 'session-unknown', code);
}

function found(finding: DoctorFinding, detail: string | null = null): Found {
  return { finding, detail };
}
