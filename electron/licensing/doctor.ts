/** The connection doctor: asks the server one harmless question and judges, step by step, what stands in between. */
import { apiRoot, endpoints } from '../../shared/api/endpoints.ts';
import type { DoctorFinding, DoctorReport, DoctorStep } from '../../shared/ipc/doctor.ts';
import { instantOf } from './failure.ts';
import type { Clock, Http, HttpResponse, HttpResult } from './platform.ts';
import { type ApiOutcome, readAnswer } from './read-answer.ts';
import { normaliseServerAddress } from './server-address.ts';

export type DoctorParts = {
  readonly http: Http;
  readonly clock: Clock;
  readonly serverAddress: () => string;
  readonly signal: AbortSignal;
  /** A call that needs the session; `null` where nobody is signed in. */
  readonly askSession: () => Promise<ApiOutcome<unknown> | null>;
};

type Found = Pick<DoctorStep, 'finding' | 'detail'>;

const timeoutMs = 10_000;
const maxResponseBytes = 1024 * 1024;
const clockToleranceMs = 5 * 60_000;

/** The examination; it never rejects. The session is only tried on what has answered as a license server. */
export function createDoctor(parts: DoctorParts): () => Promise<DoctorReport> {
  const { http, clock } = parts;

  return async function examine() {
    const serverAddress = parts.serverAddress();
    const address = judgeAddress(serverAddress);
    const outcome = address.finding === 'address-valid' ? await askServer(serverAddress) : null;
    const nowMs = clock.now();
    const transport = outcome === null ? notTried : judgeTransport(outcome);
    const server = transport.finding === 'server-responds' && outcome ? judgeServer(outcome, nowMs) : notTried;
    const isServer = server.finding === 'license-server' || server.finding === 'busy';
    const time = isServer && outcome?.ok ? judgeClock(outcome.response, nowMs) : notTried;
    const session = server.finding === 'license-server' ? judgeSession(await parts.askSession()) : notTried;
    return {
      at: instantOf(nowMs),
      serverAddress,
      steps: [
        { step: 'address', ...address },
        { step: 'response', ...transport },
        { step: 'license-server', ...server },
        { step: 'clock', ...time },
        { step: 'session', ...session },
      ],
    };
  };

  function askServer(serverAddress: string): Promise<HttpResult> {
    const { method, path } = endpoints.installerHashes;
    const url = serverAddress + apiRoot + path;
    const headers = { accept: 'application/json' };
    return http.send({ method, url, headers, timeoutMs, maxResponseBytes, signal: parts.signal });
  }
}

const notTried: Found = { finding: 'skipped', detail: null };

function judgeAddress(address: string): Found {
  return normaliseServerAddress(address) === null ? found('address-invalid', address) : found('address-valid');
}

/** An answer that is too large is one nevertheless; what it is, the next step says. */
function judgeTransport(outcome: HttpResult): Found {
  if (outcome.ok || outcome.reason === 'too-large') return found('server-responds');
  if (outcome.reason === 'timeout') return found('timed-out');
  const code = /^[A-Z][A-Z0-9_]+$/.test(outcome.message) ? outcome.message : null;
  return found(causeOf(code ?? ''), code);
}

/** The codes are Node's and OpenSSL's. */
function causeOf(code: string): DoctorFinding {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'host-not-found';
  if (code === 'ECONNREFUSED') return 'connection-refused';
  if (/CERT|SELF_SIGNED|UNABLE_TO|^ERR_(?:TLS|SSL)/.test(code)) return 'certificate';
  return code === 'ETIMEDOUT' || code === 'UND_ERR_CONNECT_TIMEOUT' ? 'timed-out' : 'unreachable';
}

/** The installers' hashes, the interface's own 404, or any refusal in its envelope. */
function judgeServer(outcome: HttpResult, nowMs: number): Found {
  if (!outcome.ok) return found('not-a-license-server');
  const { response: answer } = outcome;
  const detail = `HTTP ${answer.status}`;
  if (answer.status === 429 || answer.status >= 500) return found('busy', detail);
  const { kind } = readAnswer(endpoints.installerHashes, answer, { nowMs, secrets: [] });
  return kind === 'inconclusive' ? found('not-a-license-server', detail) : found('license-server');
}

/** The server's `Date` against this machine's wall clock. */
function judgeClock({ headers }: HttpResponse, nowMs: number): Found {
  const aheadMs = nowMs - Date.parse(headers.date ?? '');
  if (!Number.isFinite(aheadMs)) return found('clock-unknown');
  if (Math.abs(aheadMs) <= clockToleranceMs) return found('clock-in-sync');
  const minutes = Math.round(Math.abs(aheadMs) / 60_000);
  return found(aheadMs > 0 ? 'clock-ahead' : 'clock-behind', `${minutes} min`);
}

function judgeSession(outcome: ApiOutcome<unknown> | null): Found {
  if (outcome === null) return found('signed-out');
  if (outcome.kind !== 'inconclusive') return found('session-accepted');
  const { code } = outcome.failure;
  return found(code === 'INVALID_TOKEN' || code === 'TOKEN_EXPIRED' ? 'session-rejected' : 'session-unknown', code);
}

function found(finding: DoctorFinding, detail: string | null = null): Found {
  return { finding, detail };
}
