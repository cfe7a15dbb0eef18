/**
 * Three PostgreSQL servers with Patroni and etcd, behind HAProxy, as configured in server/deploy/cluster: on this
 * machine, in a temporary folder. A "machine" is the set of programs on one loopback address.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { childEnvironment, repository } from './environment.ts';
import { findProgram } from './find-program.ts';
import { findPostgres, postgresOwner, query } from './postgres.ts';

export type ClusterPrograms = Readonly<Record<'etcd' | 'patroni' | 'haproxy', string>> & { readonly postgres: string };

export type MachineName = (typeof machineNames)[number];

type Machine = {
  readonly name: MachineName;
  readonly address: string;
  readonly folder: string;
  processes: ChildProcess[];
};

export const machineNames = ['db1', 'db2', 'db3'] as const;
const ports = { etcd: 2379, peers: 2380, postgres: 5432, patroni: 8008, haproxy: 5000 };
const password = 'password-of-the-tests';
/** PostgreSQL programs that Patroni runs. */
const ofPostgres = ['postgres', 'initdb', 'pg_ctl', 'pg_controldata', 'pg_basebackup', 'pg_rewind', 'pg_isready'];
const startTimeoutMs = 180_000;

/** Returns the programs, or the names of those that are not installed. */
export function findClusterPrograms(): ClusterPrograms | { readonly missing: readonly string[] } {
  const [etcd, patroni, haproxy] = ['etcd', 'patroni', 'haproxy'].map(findProgram);
  const postgres = findPostgres(ofPostgres);
  if (etcd && patroni && haproxy && postgres) return { etcd, patroni, haproxy, postgres };
  return {
    missing: Object.entries({ etcd, patroni, haproxy, postgres }).flatMap(([name, path]) => (path ? [] : [name])),
  };
}

export class PostgresCluster {
  /** URL of the empty database, through HAProxy. */
  readonly url: string;
  readonly #programs: ClusterPrograms;
  readonly #folder: string;
  readonly #prefix: string;
  readonly #machines: readonly Machine[];
  #proxy: ChildProcess | undefined;

  private constructor(programs: ClusterPrograms, prefix: string) {
    this.#programs = programs;
    this.#prefix = prefix;
    this.#folder = mkdtempSync(join(tmpdir(), 'latchkey-cluster-'));
    this.#own(this.#folder);
    this.#machines = machineNames.map((name, index) => {
      const folder = join(this.#folder, name);
      mkdirSync(folder);
      this.#own(folder);
      return { name, address: `${prefix}.${11 + index}`, folder, processes: [] };
    });
    this.url = `postgres://latchkey:${password}@${prefix}.1:${ports.haproxy}/latchkey`;
  }

  /** Starts the cluster; resolves when all three replicate and the database is writable. The caller stops it. */
  static async start(programs: ClusterPrograms): Promise<PostgresCluster> {
    const cluster = new PostgresCluster(programs, await freeAddresses());
    try {
      await cluster.#start();
      return cluster;
    } catch (error) {
      const logs = cluster.#logs();
      await cluster.stop();
      throw new Error(`the cluster did not start: ${logs}`, { cause: error });
    }
  }

  /** Returns the members as known to any running machine. */
  async members(): Promise<readonly { name: MachineName; role: string; state: string }[]> {
    const answers = this.#machines.map(async ({ address }) => {
      const signal = AbortSignal.timeout(5_000);
      const response = await fetch(`http://${address}:${ports.patroni}/cluster`, { signal });
      return ((await response.json()) as { members: { name: MachineName; role: string; state: string }[] }).members;
    });
    return await Promise.any(answers).catch(() => []);
  }

  /** Returns the machine that Patroni reports as leader, once there is one. */
  async findPrimary(): Promise<MachineName | undefined> {
    const members = await this.members();
    return members.find(({ role }) => role === 'leader')?.name;
  }

  /** Returns true if one machine leads and the others replicate from it, one of them synchronously. */
  async isComplete(): Promise<boolean> {
    const members = await this.members();
    const running = members.filter(({ state }) => state === 'running' || state === 'streaming');
    const roles = running.map(({ role }) => role).sort();
    return roles.join() === 'leader,replica,sync_standby';
  }

  /** Runs one statement on this machine as the superuser, bypassing HAProxy. */
  query(name: MachineName, text: string, database = 'latchkey'): Promise<Record<string, unknown>[]> {
    return query(`postgres://postgres:${password}@${this.#machine(name).address}:${ports.postgres}/${database}`, text);
  }

  /** Stops the machine from sending its changes to the others, as if its network failed before the machine did. */
  async stopReplication(name: MachineName): Promise<void> {
    for (const { pid } of await this.query(name, 'select pid from pg_stat_replication')) {
      process.kill(Number(pid), 'SIGSTOP');
    }
  }

  /** Kills all programs of the machine with SIGKILL; Patroni first, because it would restart PostgreSQL. */
  async killMachine(name: MachineName): Promise<void> {
    const machine = this.#machine(name);
    const running = machine.processes.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    for (const each of running) each.kill('SIGKILL');
    for (const pid of postgresProcesses(machine.folder)) kill(pid);
    await Promise.all(running.map((each) => once(each, 'close')));
    machine.processes = [];
  }

  /** Restarts the programs of a killed machine, with its old folder. */
  startMachine(name: MachineName): void {
    const machine = this.#machine(name);
    machine.processes = [this.#startEtcd(machine), this.#startPatroni(machine)];
  }

  async stop(): Promise<void> {
    this.#proxy?.kill('SIGKILL');
    for (const { name } of this.#machines) await this.killMachine(name);
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }

  async #start(): Promise<void> {
    for (const { name } of this.#machines) this.startMachine(name);
    const config = join(this.#folder, 'haproxy.cfg');
    const bind = [`bind 127.0.0.1:${ports.haproxy}`, `bind ${this.#prefix}.1:${ports.haproxy}`] as const;
    writeFileSync(config, replaceAll(this.#fill('haproxy.cfg', {}), [bind]));
    this.#proxy = this.#spawn(this.#programs.haproxy, ['-db', '-f', config], {}, this.#folder);
    await Promise.race([waitUntil(() => this.isComplete()), this.#firstEnd()]);
    const primary = await this.findPrimary();
    if (!primary) throw new Error('there is no primary');
    await this.query(primary, `create role latchkey login password '${password}'`, 'postgres');
    await this.query(primary, 'create database latchkey owner latchkey', 'postgres');
    await waitUntil(() => query(this.url, 'select 1').then(() => true));
  }

  /** Rejects when a program ends during startup, which means that it found something wrong. */
  async #firstEnd(): Promise<never> {
    const all = this.#machines.flatMap(({ processes }) => processes);
    const ended = await Promise.race(all.map((each) => once(each, 'close').then(() => each.spawnfile)));
    throw new Error(`${ended} ended`);
  }

  #startEtcd(machine: Machine): ChildProcess {
    const text = replaceAll(this.#fill('etcd.env', machine), [
      ['/var/lib/etcd/latchkey', join(machine.folder, 'etcd')],
    ]);
    const environment = Object.fromEntries(
      [...text.matchAll(/^(ETCD_\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
    );
    return this.#spawn(this.#programs.etcd, ['--log-level', 'warn'], environment, machine.folder);
  }

  #startPatroni(machine: Machine): ChildProcess {
    const config = join(machine.folder, 'patroni.yml');
    const text = replaceAll(this.#fill('patroni.yml', machine), [
      ['/var/lib/postgresql/15/latchkey', join(machine.folder, 'data')],
      ['/usr/lib/postgresql/15/bin', this.#programs.postgres],
      ['/var/run/postgresql', machine.folder],
      ['mode: automatic', 'mode: off'],
    ]);
    writeFileSync(config, text);
    return this.#spawn(this.#programs.patroni, [config], { PATRONI_LOG_LEVEL: 'WARNING' }, machine.folder);
  }

  /** Fills the template with the values of the machine. */
  #fill(template: string, { name = '', address = '' }: { name?: string; address?: string }): string {
    const [db1, db2, db3] = this.#machines.map((machine) => machine.address);
    const values: Record<string, string | undefined> = {
      NAME: name,
      ADDRESS: address,
      DB1: db1,
      DB2: db2,
      DB3: db3,
      NETWORK: '127.0.0.0/8',
      PATRONI_PASSWORD: password,
      SUPERUSER_PASSWORD: password,
      REPLICATION_PASSWORD: password,
    };
    const text = readFileSync(join(repository, 'server/deploy/cluster', template), 'utf8');
    return text.replace(/@(\w+)@/g, (placeholder, key: string) => {
      const value = values[key];
      if (!value) throw new Error(`${template} has ${placeholder}, for which there is no value`);
      return value;
    });
  }

  #spawn(program: string, words: readonly string[], environment: Record<string, string>, folder: string): ChildProcess {
    const log = openSync(join(folder, 'log'), 'a');
    const env = childEnvironment({ LC_ALL: 'C.UTF-8', HOME: folder, ...environment });
    return spawn(program, words, { ...postgresOwner(), cwd: folder, env, stdio: ['ignore', log, log] });
  }

  #machine(name: MachineName): Machine {
    const machine = this.#machines.find((each) => each.name === name);
    if (!machine) throw new Error(`there is no machine ${name}`);
    return machine;
  }

  #own(folder: string): void {
    const { uid, gid } = postgresOwner();
    if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
    chmodSync(folder, 0o700);
  }

  #logs(): string {
    const files = [this.#folder, ...this.#machines.map(({ folder }) => folder)].map((folder) => join(folder, 'log'));
    return files.map((file) => (existsSync(file) ? readFileSync(file, 'utf8').slice(-3_000) : '')).join('\n');
  }
}

/** Returns the PostgreSQL processes of this folder; the first one started the others. */
function postgresProcesses(folder: string): number[] {
  const file = join(folder, 'data/postmaster.pid');
  if (!existsSync(file)) return [];
  const postmaster = Number(readFileSync(file, 'utf8').split('\n')[0]);
  const children = `/proc/${postmaster}/task/${postmaster}/children`;
  const pids = existsSync(children) ? readFileSync(children, 'utf8').trim().split(' ').filter(Boolean).map(Number) : [];
  return postmaster > 0 ? [postmaster, ...pids] : [];
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}

/** Applies the replacements; throws if a text is missing because the template has changed. */
function replaceAll(text: string, replacements: readonly (readonly [string, string])[]): string {
  return replacements.reduce((filled, [from, to]) => {
    if (!filled.includes(from)) throw new Error(`the template has no "${from}"`);
    return filled.replaceAll(from, to);
  }, text);
}

/** Returns the first three bytes of loopback addresses on which the usual ports of the configuration are free. */
async function freeAddresses(): Promise<string> {
  for (let tries = 0; tries < 20; tries++) {
    const prefix = `127.${randomInt(1, 255)}.${randomInt(0, 255)}`;
    const isFree = await Promise.all([
      canListen(`${prefix}.1`, ports.haproxy),
      ...[ports.etcd, ports.peers, ports.postgres, ports.patroni].map((port) => canListen(`${prefix}.11`, port)),
    ]);
    if (isFree.every(Boolean)) return prefix;
  }
  throw new Error('another program listens on one of the ports of the cluster, on all addresses');
}

async function canListen(address: string, port: number): Promise<boolean> {
  const probe = createServer();
  try {
    probe.listen(port, address);
    await once(probe, 'listening');
    probe.close();
    await once(probe, 'close');
    return true;
  } catch {
    return false;
  }
}

async function waitUntil(isTrue: () => Promise<boolean>): Promise<void> {
  const startedMs = performance.now();
  for (;;) {
    const failure = await isTrue().then(
      (value) => (value ? undefined : new Error('not yet')),
      (error: unknown) => error,
    );
    if (failure === undefined) return;
    if (performance.now() - startedMs > startTimeoutMs) throw failure;
    await sleep(250);
  }
}
