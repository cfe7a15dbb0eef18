/** The connection doctor: checks, step by step, what is between this device and its place on a license. */
import {
  type DoctorFinding,
  type DoctorProgress,
  type DoctorReport,
  type DoctorStep,
  type DoctorStepName,
  doctorFindings,
  doctorStepNames,
  type TlsDetail,
} from '../../shared/ipc/doctor.ts';
import type { ChangeNotifier } from './change-notifier.ts';
import { DoctorChecks, type DoctorChecksDeps } from './doctor-checks.ts';
import { type Found, found } from './doctor-rules.ts';
import { toTimestamp } from './failure.ts';
import type { Preferences } from './preferences.ts';

type ConnectionDoctorDeps = DoctorChecksDeps & {
  readonly preferences: Pick<Preferences, 'current'>;
  readonly changes: Pick<ChangeNotifier, 'notify'>;
  /** Ends every run. */
  readonly signal: AbortSignal;
};

/** Time limit of each step, and the finding if it is exceeded. */
const deadlines: Readonly<Record<DoctorStepName, readonly [ms: number, finding: DoctorFinding]>> = {
  address: [1000, 'out-of-time'],
  dns: [6000, 'dns-silent'],
  tcp: [6000, 'connection-timeout'],
  tls: [12_000, 'tls-timeout'],
  proxy: [3000, 'proxy-unknown'],
  clock: [10_000, 'clock-unknown'],
  api: [10_000, 'no-response'],
  session: [15_000, 'session-unknown'],
  license: [15_000, 'license-unknown'],
  seat: [1000, 'out-of-time'],
};
const runDeadlineMs = 60_000;

/** Steps that are skipped unless another one has passed. */
const needed: Partial<Record<DoctorStepName, DoctorStepName>> = { session: 'api', license: 'session', seat: 'license' };

type Timed<T> = { readonly value: T | null; readonly ms: number };
type Detail = string | TlsDetail;

export class ConnectionDoctor {
  readonly #deps: ConnectionDoctorDeps;
  #progress: DoctorProgress | null = null;
  #run: { readonly canceled: AbortController; readonly report: Promise<DoctorReport | null> } | null = null;

  constructor(deps: ConnectionDoctorDeps) {
    this.#deps = deps;
  }

  /** The run in progress or the last one; `null` before the first and after a canceled one. */
  get progress(): DoctorProgress | null {
    return this.#progress;
  }

  /**
   * Runs all ten steps within a minute, or waits for the run in progress. Never rejects; `null` if canceled. Sends the
   * session only to what has responded as a license server.
   */
  run(): Promise<DoctorReport | null> {
    if (this.#run === null) {
      const canceled = new AbortController();
      this.#run = { canceled, report: this.#runSteps(canceled).finally(() => this.#end(canceled)) };
    }
    return this.#run.report;
  }

  /** Cancels the run in progress, if any. */
  cancel(): void {
    this.#run?.canceled.abort();
  }

  #end(canceled: AbortController): void {
    this.#run = null;
    if (canceled.signal.aborted) this.#show(null);
  }

  async #runSteps(canceled: AbortController): Promise<DoctorReport | null> {
    const { clock, preferences, signal } = this.#deps;
    const { serverAddress } = preferences.current;
    const checks = new DoctorChecks(this.#deps, serverAddress);
    const report = (steps: readonly DoctorStep[]) => ({ at, server: serverAddress, steps });
    const at = toTimestamp(clock.now());
    const endsAtMs = clock.monotonic() + runDeadlineMs;
    let steps: readonly DoctorStep[] = [];
    let proxyMs = 0;
    const stop = () => canceled.abort();
    signal.addEventListener('abort', stop);
    for (const name of doctorStepNames) {
      if (canceled.signal.aborted || signal.aborted) break;
      this.#show({ report: report(steps), running: name });
      if (name === 'dns' && !hasFailed(steps)) {
        const [ms] = deadlines.proxy;
        proxyMs = (await this.#measure(() => checks.findProxy(), ms, canceled.signal)).ms;
      }
      const remainingMs = endsAtMs - clock.monotonic();
      const step = await this.#check(name, checks, { steps, remainingMs, canceled: canceled.signal });
      steps = [...steps, name === 'proxy' && step.measured_ms !== null ? addTime(step, proxyMs) : step];
    }
    signal.removeEventListener('abort', stop);
    if (steps.length < doctorStepNames.length) return null;
    this.#show({ report: report(steps), running: null });
    return report(steps);
  }

  async #check(
    name: DoctorStepName,
    checks: DoctorChecks,
    run: { readonly steps: readonly DoctorStep[]; readonly remainingMs: number; readonly canceled: AbortSignal },
  ): Promise<DoctorStep> {
    if (isSkipped(name, run.steps)) return toStep(name, found('skipped'), null);
    if (run.remainingMs <= 0) return toStep(name, found('out-of-time'), null);
    const [ms, lateFinding] = deadlines[name];
    const isLast = run.remainingMs < ms;
    const check = (signal: AbortSignal): Promise<Found<Detail>> => checks.steps[name](signal);
    const { value, ms: tookMs } = await this.#measure(check, Math.min(ms, run.remainingMs), run.canceled);
    return toStep(name, value ?? found(isLast ? 'out-of-time' : lateFinding), tookMs);
  }

  /** The value is `null` if the time runs out or the run is canceled, which also aborts the signal. */
  async #measure<T>(
    task: (signal: AbortSignal) => Promise<T>,
    deadlineMs: number,
    canceled: AbortSignal,
  ): Promise<Timed<T>> {
    const { clock } = this.#deps;
    const startedAtMs = clock.monotonic();
    const ending = new AbortController();
    let cancelTimer = () => {};
    let end = () => {};
    const ended = new Promise<null>((resolve) => {
      end = () => {
        ending.abort();
        resolve(null);
      };
      cancelTimer = clock.setTimer(deadlineMs, end);
    });
    canceled.addEventListener('abort', end);
    const value = await Promise.race([task(ending.signal).catch(() => null), ended]);
    canceled.removeEventListener('abort', end);
    cancelTimer();
    return { value, ms: clock.monotonic() - startedAtMs };
  }

  #show(progress: DoctorProgress | null): void {
    this.#progress = progress;
    this.#deps.changes.notify();
  }
}

/** A wrong clock fails only its own step; the others say more about it. */
function hasFailed(steps: readonly DoctorStep[]): boolean {
  return steps.some(({ step, outcome }) => outcome === 'fail' && step !== 'clock');
}

function isSkipped(name: DoctorStepName, steps: readonly DoctorStep[]): boolean {
  if (name === 'clock') return false;
  const before = needed[name];
  return hasFailed(steps) || steps.some(({ step, outcome }) => step === before && outcome !== 'pass');
}

function toStep(step: DoctorStepName, { finding, detail }: Found<Detail>, tookMs: number | null): DoctorStep {
  const { outcome, remedy } = doctorFindings[finding];
  const measured_ms = outcome === 'skipped' || tookMs === null ? null : Math.round(tookMs * 10) / 10;
  return { step, outcome, finding, detail, measured_ms, remedy } as DoctorStep;
}

function addTime(step: DoctorStep, ms: number): DoctorStep {
  return { ...step, measured_ms: Math.round(((step.measured_ms ?? 0) + ms) * 10) / 10 };
}
