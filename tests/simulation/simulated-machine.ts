/** A computer with the real licensing client, with its clock, disk, sleep and crashes. */
import { LicensingClient } from '../../electron/licensing/licensing-client.ts';
import type { Clock, PlainStore, Platform, SecretStore, StoreRead } from '../../electron/licensing/platform.ts';
import { createFakeNetwork, synchronousSubtle } from '../electron/fake-platform.ts';
import { testApp } from '../electron/licensing/start-client.ts';
import { otherAddress } from './other-server.ts';
import type { SeededRandom } from './seeded-random.ts';
import { SimulatedNetwork, type SimulatedNetworkDeps } from './simulated-network.ts';
import { serverAddress } from './simulated-server.ts';
import type { VirtualTime } from './virtual-time.ts';

/** What survives a restart of the machine. */
export type Disk = { readonly secrets: Map<string, string>; readonly plain: Map<string, string> };

/** The differences between operating systems. */
export type System = {
  /** True if the monotonic clock includes sleep. */
  readonly countsSleep: boolean;
  /** True if each boot of the machine has an id, as on Linux. */
  readonly namesBoots: boolean;
};

export type SimulatedMachineDeps = Omit<SimulatedNetworkDeps, 'machine'> & {
  readonly name: string;
  readonly hardwareId: string;
  readonly system: System;
  /** The initial disk, for a copy of another machine. */
  readonly disk?: Disk;
  /** Called when the app ends with a session that is only in memory. */
  readonly onSessionLost: () => void;
};

/** One run of the app: everything that it has started ends with it. */
type Run = { readonly client: LicensingClient; isAlive: boolean };

const writeMs = 20;

export class SimulatedMachine {
  readonly name: string;
  readonly hardwareId: string;
  readonly disk: Disk;
  readonly network: SimulatedNetwork;
  readonly log: string[] = [];
  /** Difference between its clock and the true time. */
  clockOffsetMs = 0;
  isAsleep = false;
  /** True if nothing can be written. */
  isDiskFull = false;
  readonly #time: VirtualTime;
  readonly #random: SeededRandom;
  readonly #system: System;
  readonly #onSessionLost: () => void;
  #run: Run | undefined;
  #boots = 0;
  #bootedAtMs = 0;
  #sleptMs = 0;
  #fellAsleepAtMs = 0;
  /** Timers that became due during sleep. */
  #late: (() => void)[] = [];
  readonly #onSuspend = new Set<() => void>();
  readonly #onResume = new Set<() => void>();

  constructor(deps: SimulatedMachineDeps) {
    const { name, hardwareId, time, random, disk = { secrets: new Map(), plain: new Map() } } = deps;
    this.name = name;
    this.hardwareId = hardwareId;
    this.disk = disk;
    this.#time = time;
    this.#random = random;
    this.#system = deps.system;
    this.#onSessionLost = deps.onSessionLost;
    this.network = new SimulatedNetwork({ ...deps, machine: name });
  }

  get isRunning(): boolean {
    return this.#run !== undefined;
  }

  /** True if the app uses the other server. */
  get isElsewhere(): boolean {
    return this.#run?.client.getState().server.address === otherAddress;
  }

  /** The client of the running app. */
  get client(): LicensingClient {
    if (!this.#run) throw new Error(`the app of ${this.name} does not run`);
    return this.#run.client;
  }

  /** Boots the machine and starts the app. */
  async boot(): Promise<void> {
    this.#boots += 1;
    this.#bootedAtMs = this.#time.nowMs;
    this.#sleptMs = 0;
    this.isAsleep = false;
    await this.startApp();
  }

  async startApp(): Promise<void> {
    const run: { client?: LicensingClient; isAlive: boolean } = { isAlive: true };
    const client = new LicensingClient({
      platform: this.#createPlatform(run),
      app: testApp,
      defaultServerAddress: serverAddress,
    });
    run.client = client;
    this.#run = run as Run;
    await this.#time.finish(client.start(), 60_000);
  }

  /** Quits the app as a user does. */
  async quitApp(): Promise<void> {
    const run = this.#run;
    if (!run) return;
    await this.#time.finish(run.client.stop(), 60_000);
    this.#end(run);
  }

  /** Cuts the power: writes in progress and everything in memory are lost. */
  crash(): void {
    if (this.#run) this.#end(this.#run);
  }

  sleep(): void {
    for (const listener of this.#onSuspend) listener();
    this.isAsleep = true;
    this.#fellAsleepAtMs = this.#time.nowMs;
  }

  wake(): void {
    if (!this.isAsleep) return;
    this.isAsleep = false;
    this.#sleptMs += this.#time.nowMs - this.#fellAsleepAtMs;
    for (const run of this.#late.splice(0)) run();
    for (const listener of this.#onResume) listener();
  }

  /** Returns the disk for a copy of this machine. */
  copyDisk(): Disk {
    return { secrets: new Map(this.disk.secrets), plain: new Map(this.disk.plain) };
  }

  #end(run: Run): void {
    if (!run.client.isSessionStored) this.#onSessionLost();
    run.isAlive = false;
    this.#run = undefined;
    this.#late = [];
    this.#onSuspend.clear();
    this.#onResume.clear();
  }

  #createPlatform(run: { isAlive: boolean }): Platform {
    const clock = this.#createClock(run);
    return {
      clock,
      network: createFakeNetwork(clock),
      http: { send: (request) => this.network.send(request, () => run.isAlive) },
      secrets: this.#createStore(run, this.disk.secrets),
      plain: this.#createStore(run, this.disk.plain),
      random: this.#random,
      subtle: synchronousSubtle,
      machine: {
        readMachineId: async () => ({ kind: 'value', value: this.hardwareId }),
        deviceName: this.name,
        platform: 'linux x64',
      },
      files: {
        walk: async function* () {},
        readFile: async () => ({ kind: 'unreadable' }),
        hashFile: async (path) => ({ kind: 'unreadable', message: path }),
        findOwnInstaller: async () => null,
      },
      power: {
        onSuspend: (listener) => listen(this.#onSuspend, listener),
        onResume: (listener) => listen(this.#onResume, listener),
      },
      log: {
        info: (message, facts) => void this.log.push(`${message} ${JSON.stringify(facts ?? {})}`),
        warn: (message, facts) => void this.log.push(`${message} ${JSON.stringify(facts ?? {})}`),
      },
    };
  }

  #createClock(run: { isAlive: boolean }): Clock {
    const time = this.#time;
    const { countsSleep, namesBoots } = this.#system;
    return {
      now: () => time.nowMs + this.clockOffsetMs,
      monotonic: () => time.nowMs - this.#bootedAtMs - (countsSleep ? 0 : this.#sleptMs),
      sinceBoot: () => ({
        id: namesBoots ? `${this.name} boot ${this.#boots}` : null,
        ms: time.nowMs - this.#bootedAtMs,
      }),
      setTimer: (delayMs, callback) => {
        let isCanceled = false;
        const ring = () => {
          if (!run.isAlive || isCanceled) return;
          if (this.isAsleep) this.#late.push(ring);
          else callback();
        };
        const cancel = time.at(time.nowMs + delayMs, ring);
        return () => {
          isCanceled = true;
          cancel();
        };
      },
    };
  }

  #createStore(run: { isAlive: boolean }, values: Map<string, string>): SecretStore & PlainStore {
    const change = async (apply: () => void): Promise<void> => {
      await this.#time.sleep(this.#random.integer(writeMs));
      if (!run.isAlive) return new Promise(() => undefined);
      if (this.isDiskFull) throw Object.assign(new Error('simulated'), { code: 'ENOSPC' });
      apply();
    };
    return {
      read: async (name): Promise<StoreRead> => {
        const value = values.get(name);
        return value === undefined ? { kind: 'absent' } : { kind: 'value', value };
      },
      write: (name, value) => change(() => void values.set(name, value)),
      remove: (name) => change(() => void values.delete(name)),
      setAside: (name) =>
        change(() => {
          const value = values.get(name);
          if (value !== undefined) values.set(`${name}.unreadable-${this.#time.nowMs}`, value);
          values.delete(name);
        }),
      storage: () => 'keyring',
      choose: async () => undefined,
    };
  }
}

function listen(listeners: Set<() => void>, listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
