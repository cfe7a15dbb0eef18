/** Runs the steps of the connection doctor, each with the results of those before it. */

import { apiRoot, endpoints } from '../../shared/api/endpoints.ts';
import type { SubscriptionStatusResponse } from '../../shared/api/subscription.ts';
import type { SignedOutReason } from '../../shared/ipc/app-state.ts';
import type { DoctorStepName, TlsDetail } from '../../shared/ipc/doctor.ts';
import { readServerTime } from './api-response.ts';
import type { DeviceLicense } from './device-license.ts';
import {
  type Found,
  found,
  judgeAddress,
  judgeApi,
  judgeClock,
  judgeConnection,
  judgeLicense,
  judgeLookup,
  judgeProxy,
  judgeSeat,
  judgeSession,
  judgeSignedOut,
  judgeTls,
  type Validation,
} from './doctor-rules.ts';
import type { Clock, FoundProxy, Http, HttpResult, Network, NetworkTarget, ProxyRoute } from './platform.ts';
import { readUrl } from './server-address.ts';
import type { Session } from './session.ts';
import type { TrustedTime } from './trusted-time.ts';

export type DoctorChecksDeps = {
  readonly http: Http;
  readonly network: Network;
  readonly clock: Clock;
  readonly trustedTime: Pick<TrustedTime, 'nowMs' | 'measuredMs' | 'isClockAhead' | 'isClockBehind'>;
  readonly session: Pick<Session, 'user'>;
  readonly signedOutReason: () => SignedOutReason | null;
  readonly deviceLicense: Pick<DeviceLicense, 'loadStatus' | 'validateStored'>;
};

const direct: ProxyRoute = { kind: 'direct' };
const requestTimeoutMs = 10_000;
const maxResponseBytes = 1024 * 1024;

/** The checks of one run, made in order. */
export class DoctorChecks {
  readonly #deps: DoctorChecksDeps;
  readonly #address: string | null;
  #proxy: FoundProxy | null = null;
  /** The status with which the proxy refused a tunnel, unless the app gets through. */
  #refusal: number | null = null;
  /** True if a request of the app would get through, as far as is known. */
  #isOpen = false;
  #isConnected = false;
  #status: SubscriptionStatusResponse | null = null;
  #validation: Validation = null;

  constructor(deps: DoctorChecksDeps, address: string | null) {
    this.#deps = deps;
    this.#address = address;
  }

  /** Nothing else can be measured without it, so it runs before the step `proxy`, which shows it. */
  async findProxy(): Promise<void> {
    this.#proxy = await this.#deps.network.findProxy(this.#url);
  }

  readonly steps: {
    readonly [Name in DoctorStepName]: (signal: AbortSignal) => Promise<Found<Name extends 'tls' ? TlsDetail : string>>;
  } = {
    address: async () => judgeAddress(this.#address),
    dns: (signal) => this.#checkDns(signal),
    tcp: (signal) => this.#checkTcp(signal),
    tls: (signal) => this.#checkTls(signal),
    proxy: async () => judgeProxy(this.#proxy, this.#refusal),
    clock: (signal) => this.#checkClock(signal),
    api: (signal) => this.#checkApi(signal),
    session: () => this.#checkSession(),
    license: () => this.#checkLicense(),
    seat: async () => this.#checkSeat(),
  };

  async #checkDns(signal: AbortSignal): Promise<Found> {
    const { host } = this.#nextTarget;
    if (/^[\d.]+$|:/.test(host)) return found('name-not-needed', this.#isProxied ? host : null);
    return judgeLookup(await this.#deps.network.resolveHost(host, signal), this.#isProxied);
  }

  async #checkTcp(signal: AbortSignal): Promise<Found> {
    const result = await this.#deps.network.connect(this.#nextTarget, signal);
    this.#isConnected = result.kind === 'connected';
    this.#isOpen = this.#isConnected;
    return judgeConnection(result, this.#isProxied);
  }

  async #checkTls(signal: AbortSignal): Promise<Found<TlsDetail>> {
    if (readUrl(this.#url)?.protocol !== 'https:') return found<TlsDetail>('tls-not-used');
    const { network, clock } = this.#deps;
    const result = await network.secure(this.#target, this.#route, signal);
    const isGood = result.kind === 'secured' && result.problem === null;
    // Electron's network stack may trust, or get through, where this measurement does not.
    const appConnects = !isGood && (await this.#send(signal)).ok;
    this.#isOpen = isGood || appConnects;
    if (result.kind === 'no-tunnel' && !appConnects) this.#refusal = result.status;
    const dates = result.kind === 'secured' && /EXPIRED|NOT_YET/.test(result.problem ?? '');
    const serverTimeMs = dates && !appConnects ? await this.#readServerTime(signal) : null;
    return judgeTls(result, { nowMs: clock.now(), serverTimeMs, appConnects });
  }

  /** Runs even after a failed step: a wrong clock may be the reason. */
  async #checkClock(signal: AbortSignal): Promise<Found> {
    const response = this.#isOpen ? await this.#send(signal) : null;
    const dateMs = response?.ok ? readServerTime(response.response) : await this.#readServerTime(signal);
    return judgeClock(dateMs === null ? null : this.#deps.clock.now() - dateMs);
  }

  async #checkApi(signal: AbortSignal): Promise<Found> {
    return judgeApi(await this.#send(signal), this.#deps.clock.now());
  }

  async #checkSession(): Promise<Found> {
    const { session, deviceLicense, signedOutReason } = this.#deps;
    if (session.user === null) return judgeSignedOut(signedOutReason());
    const result = await deviceLicense.loadStatus();
    if (result.kind === 'success') this.#status = result.response;
    return judgeSession(result);
  }

  async #checkLicense(): Promise<Found> {
    if (this.#status === null) return found('license-unknown');
    this.#validation = await this.#deps.deviceLicense.validateStored();
    return judgeLicense(this.#validation, this.#status);
  }

  #checkSeat(): Found {
    return this.#status === null ? found('license-unknown') : judgeSeat(this.#validation, this.#status);
  }

  /** Unverified, which is enough for a diagnosis; `null` if the server could not be reached. */
  async #readServerTime(signal: AbortSignal): Promise<number | null> {
    const { network, trustedTime } = this.#deps;
    const dateMs = this.#isConnected ? await network.readDate(this.#url, this.#route, signal) : null;
    if (dateMs !== null) return dateMs;
    if (trustedTime.isClockAhead) return trustedTime.nowMs();
    return trustedTime.isClockBehind ? trustedTime.measuredMs() : null;
  }

  /** Sends one harmless request the way the app sends every other. */
  #send(signal: AbortSignal): Promise<HttpResult> {
    const { method } = endpoints.installerHashes;
    const headers = { accept: 'application/json' };
    return this.#deps.http.send({
      method,
      url: this.#url,
      headers,
      timeoutMs: requestTimeoutMs,
      maxResponseBytes,
      signal,
    });
  }

  get #url(): string {
    return `${this.#address ?? ''}${apiRoot}${endpoints.installerHashes.path}`;
  }

  get #route(): ProxyRoute {
    return this.#proxy?.route ?? direct;
  }

  get #isProxied(): boolean {
    return this.#route.kind === 'proxy';
  }

  get #target(): NetworkTarget {
    const url = readUrl(this.#url);
    const host = url?.hostname.replace(/^\[(.*)\]$/, '$1') ?? '';
    return { host, port: Number(url?.port || (url?.protocol === 'http:' ? 80 : 443)) };
  }

  /** What the app connects to: the server, or the proxy in between. */
  get #nextTarget(): NetworkTarget {
    const route = this.#route;
    return route.kind === 'proxy' ? { host: route.host, port: route.port } : this.#target;
  }
}
