/** The duration of a scheduled backup during 400 writes a second, including its verification by a restore. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { childEnvironment, repository, type Settings } from '../../harness/environment.ts';
import { findPostgres, query, startPostgres } from '../../harness/postgres.ts';
import type { BenchRun } from '../bench-run.ts';
import { type Contender, NotAvailable, type Sample, WrongResponse } from '../measurement.ts';
import { type InsertRows, insertIntoPostgres, insertIntoSqlite } from '../seed/insert-rows.ts';
import { keyCount } from '../seed/installation.ts';
import { seedDatabase } from '../seed/seed-database.ts';
import { memberRows } from '../seed/seeded-accounts.ts';
import { pathOf } from './http-contender.ts';
import { launcher, startLatchkey } from './server-processes.ts';

const group = 'backup';
const writesPerSecond = 400;
const tickMs = 10;
/** Backups that started earlier are ignored. */
const loadedBeforeMs = 3_000;
const maxWaitMs = 300_000;

type Backup = { readonly file: string; readonly started_at_ms: number; readonly proven_at_ms: number | null };

type Source = {
  readonly settings: Settings;
  readonly insertRows: InsertRows;
  listBackups(): Promise<Backup[]>;
};

const selectBackups = 'select file, started_at_ms, proven_at_ms from backups order by id';

export function backupUnderLoad(run: BenchRun): Contender[] {
  const add = (name: string, open: (folder: string) => Promise<Source>): Contender => ({
    name: `${name}: backup of 100 thousand accounts beside ${writesPerSecond} writes a second`,
    group,
    rounds: 1,
    onlyFull: true,
    measure: async () => measureBackup(run, await open(run.newFolder())),
  });
  return [add('SQLite', openSqlite), add('PostgreSQL', (folder) => openPostgres(run, folder))];
}

async function openSqlite(folder: string): Promise<Source> {
  return {
    settings: { LATCHKEY_DATA: folder },
    insertRows: insertIntoSqlite(folder),
    async listBackups() {
      const database = new DatabaseSync(join(folder, 'latchkey.db'), { readOnly: true });
      const rows = database.prepare(selectBackups).all() as Backup[];
      database.close();
      return rows;
    },
  };
}

async function openPostgres(run: BenchRun, folder: string): Promise<Source> {
  const programs = findPostgres();
  if (programs === undefined) throw new NotAvailable('PostgreSQL is not installed');
  const starting = startPostgres(programs);
  run.atEnd(() => starting.then((started) => started.stop()).catch(() => undefined));
  const url = await (await starting).createDatabase();
  return {
    settings: { LATCHKEY_DATA: folder, DATABASE_URL: url },
    insertRows: insertIntoPostgres(url),
    async listBackups() {
      const rows = await query(url, selectBackups);
      return rows.map(({ file, started_at_ms, proven_at_ms }) => ({
        file: String(file),
        started_at_ms: Number(started_at_ms),
        proven_at_ms: proven_at_ms === null ? null : Number(proven_at_ms),
      }));
    },
  };
}

async function measureBackup(run: BenchRun, { settings, insertRows, listBackups }: Source): Promise<Sample> {
  run.tell(`seeding ${keyCount} accounts`);
  const plan = { accounts: keyCount, accessTokens: keyCount / 10, rowsOf: memberRows };
  const { accessTokens } = await seedDatabase(settings, plan, insertRows);
  const schedule = { LATCHKEY_BACKUP_EVERY: '1s', LATCHKEY_BACKUP_FOLDER: run.newFolder() };
  const server = await startLatchkey(run, { ...settings, ...schedule });
  run.tell('waiting for a backup');
  const writes = new PacedWrites(server.url, accessTokens);
  const fromMs = Date.now() + loadedBeforeMs;
  const backup = await waitForBackup(listBackups, fromMs).finally(() => writes.end());
  const { acknowledged, refused } = await writes.end();
  // It would continue to take backups.
  await server.stop();
  run.tell('comparing the backup with what was acknowledged');
  expectComplete(run, backup, acknowledged);
  const [first = 0, last = 0] = [acknowledged[0]?.atMs, acknowledged.at(-1)?.atMs];
  const milliseconds = (backup.proven_at_ms ?? 0) - backup.started_at_ms;
  return {
    milliseconds,
    untilWrittenMs: milliseconds - readProofMs(server.logFile, backup),
    writesPerSecond: (acknowledged.length / (last - first)) * 1000,
    refused,
  };
}

/** Returns the duration of the verification, which is only in the server's log. */
function readProofMs(logFile: string, { file }: Backup): number {
  for (const line of readFileSync(logFile, 'utf8').split('\n')) {
    const entry = line.includes(file) ? JSON.parse(line) : undefined;
    if (typeof entry?.proofMs === 'number') return entry.proofMs;
  }
  throw new WrongResponse(`the log does not say how long the proof of ${file} took`);
}

async function waitForBackup(list: Source['listBackups'], fromMs: number): Promise<Backup> {
  for (;;) {
    const found = (await list()).find(({ started_at_ms }) => started_at_ms >= fromMs);
    if (found?.proven_at_ms) return found;
    if (found) throw new WrongResponse('a backup failed');
    if (Date.now() - fromMs > maxWaitMs) throw new NotAvailable(`no backup within ${maxWaitMs / 1000} s`);
    await sleep(500);
  }
}

/** Restores the backup with the command, and expects every device acknowledged before the backup started. */
function expectComplete(run: BenchRun, { file, started_at_ms }: Backup, acknowledged: readonly Acknowledged[]): void {
  const folder = run.newFolder();
  const args = [launcher, 'server/admin/admin.ts', 'restore', file];
  const env = childEnvironment({ LATCHKEY_DATA: folder });
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: repository, env, encoding: 'utf8' });
  if (status !== 0) throw new WrongResponse(`restore: ${stderr}`);
  const database = new DatabaseSync(join(folder, 'latchkey.db'), { readOnly: true });
  const find = database.prepare('select 1 from device_activity where device_id = ?');
  const before = acknowledged.filter(({ atMs }) => atMs < started_at_ms);
  const missing = before.filter(({ deviceId }) => find.get(deviceId) === undefined);
  database.close();
  if (before.length === 0 || missing.length > 0)
    throw new WrongResponse(`${missing.length} of ${before.length} acknowledged writes are missing`);
}

type Acknowledged = { readonly deviceId: string; readonly atMs: number };

/** Heartbeats of new devices at a steady rate, however long the responses take. */
class PacedWrites {
  readonly #acknowledged: Acknowledged[] = [];
  readonly #pending = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  readonly #startedMs = performance.now();
  #sent = 0;
  #refused = 0;
  #problem: string | undefined;

  constructor(url: string, accessTokens: readonly string[]) {
    const target = new URL(pathOf('heartbeat'), url).href;
    this.#timer = setInterval(() => {
      const due = ((performance.now() - this.#startedMs) / 1000) * writesPerSecond;
      while (this.#sent < due) {
        const number = this.#sent++;
        const sending = this.#send(target, accessTokens[number % accessTokens.length] ?? '', number);
        this.#pending.add(sending);
        void sending.finally(() => this.#pending.delete(sending));
      }
    }, tickMs);
  }

  /** Resolves with the acknowledged writes in order, and the number refused with 503. Throws `WrongResponse`. */
  async end(): Promise<{ readonly acknowledged: readonly Acknowledged[]; readonly refused: number }> {
    clearInterval(this.#timer);
    await Promise.all(this.#pending);
    if (this.#problem !== undefined) throw new WrongResponse(this.#problem);
    return { acknowledged: this.#acknowledged, refused: this.#refused };
  }

  async #send(target: string, token: string, number: number): Promise<void> {
    const deviceId = `HW-00000000-00000000-00000000-${number.toString(16).toUpperCase().padStart(8, '0')}`;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    try {
      const response = await fetch(target, { method: 'POST', headers, body: JSON.stringify({ device_id: deviceId }) });
      const text = await response.text();
      if (response.ok) this.#acknowledged.push({ deviceId, atMs: Date.now() });
      else if (response.status === 503) this.#refused++;
      else this.#problem ??= `${response.status} ${text.slice(0, 300)}`;
    } catch (error) {
      this.#problem ??= String(error);
    }
  }
}
