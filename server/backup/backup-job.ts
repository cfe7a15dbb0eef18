/** Takes scheduled backups: one process at a time, and each backup counts only once a restore has proven it. */
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { byServer } from '../audit/audit-event.ts';
import type { AuditLogService } from '../audit/audit-log.service.ts';
import type { CommonDeps } from '../common-deps.ts';
import { createFolder } from '../create-folder.ts';
import type { Database, Transaction } from '../database/database.ts';
import { lockByName } from '../database/row-locks.ts';
import { messageOf, StartError } from '../errors.ts';
import { PeriodicTask } from '../periodic-task.ts';
import * as repository from './backup.repository.ts';
import { readEncryption } from './backup-encryption.ts';
import type { BackupOutcome } from './backup-process.ts';
import {
  chooseNewest,
  choosePruned,
  claimMs,
  isBackupName,
  isClaimed,
  isDue,
  nameBackup,
  tickMs,
} from './backup-schedule.rules.ts';
import { BackupWorker } from './backup-worker.ts';
import { removeInterruptedCopies } from './output-file.ts';
import { removeAbandonedWork } from './work-folder.ts';

type BackupJobDeps = Pick<CommonDeps, 'config' | 'database' | 'clock' | 'scheduler'> & {
  readonly everyMs: number;
  readonly auditLog: Pick<AuditLogService, 'record'>;
  readonly logger: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  readonly worker?: Pick<BackupWorker, 'run' | 'end'>;
};

type Attempt = { readonly id: string; readonly startedAtMs: number; readonly file: string };

/** Creates the task of the job. Throws `StartError` if the passphrase, recipient or folder is unusable. */
export async function createBackupTask(deps: BackupJobDeps): Promise<PeriodicTask> {
  const { backups } = deps.config;
  await readEncryption(backups);
  requireNoFile(backups.folder);
  return new BackupJob(deps).task;
}

export class BackupJob {
  readonly #deps: BackupJobDeps;
  readonly #worker: Pick<BackupWorker, 'run' | 'end'>;
  /** Its stop ends the backup in progress, which leaves nothing behind. */
  readonly task: PeriodicTask;

  constructor(deps: BackupJobDeps) {
    this.#deps = deps;
    this.#worker = deps.worker ?? new BackupWorker();
    this.task = new PeriodicTask({
      scheduler: deps.scheduler,
      intervalMs: tickMs(deps.everyMs),
      firstRunMs: 0,
      run: () => this.run(),
      onFailure: (err) => deps.logger.error({ err }, 'no backup could be taken; trying again'),
      onStop: () => this.#worker.end(),
    });
  }

  /** Takes a backup if one is due and no other process is taking it. Resolves to whether it did. */
  async run(): Promise<boolean> {
    const attempt = await this.#claim();
    if (!attempt) return false;
    const { scheduler } = this.#deps;
    const renewal = new PeriodicTask({ scheduler, intervalMs: claimMs / 3, run: () => this.#renew(attempt) });
    renewal.start();
    try {
      const outcome = await this.#takeBackup(attempt);
      if (this.task.isStopped && 'problem' in outcome) {
        await this.#write((transaction) => repository.saveClaim(transaction, undefined));
        return false;
      }
      await this.#record(attempt, outcome);
      if ('written' in outcome) await this.#prune();
      return true;
    } finally {
      await renewal.stop();
    }
  }

  async #claim(): Promise<Attempt | undefined> {
    const { database, clock } = this.#deps;
    if (!(await this.#isFree(database.read))) return undefined;
    return this.#write(async (transaction) => {
      if (!(await this.#isFree(transaction))) return undefined;
      const startedAtMs = clock.now();
      const attempt = { id: randomUUID(), startedAtMs, file: this.#chooseFile(startedAtMs) };
      await repository.saveClaim(transaction, { id: attempt.id, untilMs: startedAtMs + claimMs });
      return attempt;
    });
  }

  async #isFree(executor: Database['read']): Promise<boolean> {
    const nowMs = this.#deps.clock.now();
    if (isClaimed(await repository.readClaim(executor), nowMs)) return false;
    const newest = await repository.findNewestBackup(executor);
    const last = newest && { startedAtMs: newest.started_at_ms, failed: newest.problem !== null };
    return isDue(last, this.#deps.everyMs, nowMs);
  }

  #chooseFile(startedAtMs: number): string {
    const { folder, passphraseFile, recipient } = this.#deps.config.backups;
    const isEncrypted = passphraseFile !== undefined || recipient !== undefined;
    return join(folder, nameBackup(startedAtMs, { isEncrypted }));
  }

  /** Extends the claim. If this fails, the next attempt may still be in time. */
  async #renew({ id }: Attempt): Promise<void> {
    const untilMs = this.#deps.clock.now() + claimMs;
    await this.#write(async (transaction) => {
      if ((await repository.readClaim(transaction))?.id === id)
        await repository.saveClaim(transaction, { id, untilMs });
    });
  }

  async #takeBackup({ file }: Attempt): Promise<BackupOutcome> {
    const { config } = this.#deps;
    try {
      await this.#requireDisk();
      createFolder(config.backups.folder);
      // This process holds the claim, so no other backup is in progress.
      removeInterruptedCopies(config.backups.folder, isBackupName);
      const outcome = await this.#worker.run({ config, file });
      // If its process was killed, it has not removed its files.
      if ('problem' in outcome) {
        removeAbandonedWork(config.dataFolder);
        removeInterruptedCopies(config.backups.folder, (name) => name === basename(file));
      }
      return outcome;
    } catch (error) {
      return { problem: messageOf(error) };
    }
  }

  /**
   * Throws if a folder elsewhere is missing although it has had backups: its disk is not mounted, and backups on the disk
   * of the data would be lost together with it.
   */
  async #requireDisk(): Promise<void> {
    const { database, config } = this.#deps;
    const { folder } = config.backups;
    if (existsSync(folder) || dirname(folder) === config.dataFolder) return;
    const backups = await repository.listBackups(database.read);
    if (!backups.some(({ file, proven_at_ms }) => proven_at_ms !== null && dirname(file) === folder)) return;
    throw new Error(`${folder} is missing, with the earlier backups: mount its disk, or create the folder again`);
  }

  async #record({ id, startedAtMs, file }: Attempt, outcome: BackupOutcome): Promise<void> {
    const { clock, auditLog, logger } = this.#deps;
    const tookMs = clock.now() - startedAtMs;
    if ('problem' in outcome) logger.error({ file, tookMs }, `the backup failed: ${outcome.problem}`);
    else {
      const { written, proofMs } = outcome;
      logger.info({ file, bytes: written.bytes, tookMs, proofMs }, 'a backup was written and proven by a restore');
    }
    await this.#write(async (transaction) => {
      await repository.insertBackup(transaction, { started_at_ms: startedAtMs, file, ...this.#toColumns(outcome) });
      if ((await repository.readClaim(transaction))?.id === id) await repository.saveClaim(transaction, undefined);
      if ('problem' in outcome) return;
      const target = { kind: 'backup', id: '', label: basename(file) } as const;
      const details = { sha256: outcome.written.sha256, proven: true };
      await auditLog.record(transaction, { ...byServer, action: 'backup.create', target, details });
    });
  }

  #toColumns(outcome: BackupOutcome): Omit<repository.BackupRow, 'id' | 'started_at_ms' | 'file'> {
    if ('problem' in outcome) {
      const { problem } = outcome;
      return { bytes: null, sha256: null, encryption: null, row_count: null, proven_at_ms: null, problem };
    }
    const { bytes, sha256, encryption, rows } = outcome.written;
    const row_count = Object.values(rows).reduce((sum, count) => sum + count, 0);
    return { bytes, sha256, encryption, row_count, proven_at_ms: this.#deps.clock.now(), problem: null };
  }

  /**
   * Deletes old backups. A file that cannot be deleted stays in the list and is tried again after the next backup. The
   * list may come from a backup of somebody else, so a file is deleted only if it is named like that backup. Nor does
   * anyone who can write to the database get the newest files deleted, whatever the list says: see `#isNewest`.
   */
  async #prune(): Promise<void> {
    const { database, config, logger } = this.#deps;
    const backups = (await repository.listBackups(database.read)).map((row) => ({
      ...row,
      proven: row.proven_at_ms !== null,
    }));
    for (const { id, file, proven, started_at_ms, encryption } of choosePruned(backups, config.backups.keep)) {
      try {
        const isNamed = basename(file) === nameBackup(started_at_ms, { isEncrypted: encryption !== null });
        if (proven && isNamed && existsSync(file)) {
          if (this.#isNewest(file)) continue;
          rmSync(file);
        }
        await this.#write((transaction) => repository.deleteBackup(transaction, id));
      } catch (error) {
        logger.warn({ err: error, file }, 'an old backup could not be deleted');
      }
    }
  }

  /** Returns true if the file is among the newest backups that are in the backup folder or in its own folder. */
  #isNewest(file: string): boolean {
    const { folder, keep } = this.#deps.config.backups;
    const names = [...new Set([folder, dirname(file)])].flatMap((each) => readdirSync(each));
    return chooseNewest(names, keep).includes(basename(file));
  }

  #write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#deps.database.write(async (transaction) => {
      await lockByName(transaction, 'backups');
      return work(transaction);
    });
  }
}

/**
 * Throws `StartError` if the path is a file. A missing folder is created, or its disk may come back, but a file stays.
 */
function requireNoFile(folder: string): void {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats?.isFile()) throw new StartError(`LATCHKEY_BACKUP_FOLDER is wrong: ${folder} is a file, not a folder`);
}
