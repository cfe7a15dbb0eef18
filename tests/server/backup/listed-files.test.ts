/** The list of backups may be that of somebody else: of the files that it names, only backups are read or deleted. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { BackupJob } from '../../../server/backup/backup-job.ts';
import { findBackupProblems } from '../../../server/backup/backup-report.ts';
import { nameBackup } from '../../../server/backup/backup-schedule.rules.ts';
import { hashFile } from '../../../server/hash-file.ts';
import { systemScheduler } from '../../../server/scheduler.ts';
import { hour } from '../../harness/fake-clock.ts';
import { startTestApp, type TestApp } from '../../harness/start-app.ts';

const written = { bytes: 1, sha256: '0'.repeat(64), encryption: null, created_at: '', rows: {}, audit_head: null };

/** Takes the next scheduled backup. The file is written by the test, in place of the process that reads the database. */
async function takeBackup({ config, database, clock, services }: TestApp): Promise<string> {
  let taken = '';
  const run = async ({ file }: { readonly file: string }) => {
    taken = file;
    writeFileSync(file, 'x');
    return { written: { ...written, file, database: 'sqlite' as const }, proofMs: 0 };
  };
  clock.advance(hour);
  const { auditLog } = services;
  const deps = { config, database, clock, scheduler: systemScheduler, auditLog, logger: pino({ level: 'silent' }) };
  await new BackupJob({ ...deps, everyMs: hour, worker: { run, end: async () => {} } }).run();
  return taken;
}

it('a backup list that names the secrets does not make the server delete them', async () => {
  const app = await startTestApp({ LATCHKEY_BACKUP_KEEP: '1' });
  const elsewhere = join(app.dataFolder, 'elsewhere');
  mkdirSync(elsewhere);
  const other = join(elsewhere, 'latchkey-2026-01-02T00-00-00-000Z.tar');
  writeFileSync(other, 'x');
  const named = [app.config.secretsFile, other];
  await app.database.write(async (transaction) => {
    for (const [id, file] of named.entries()) {
      const row = { id: id + 1, file, started_at_ms: 0, bytes: 1, sha256: written.sha256, encryption: null };
      await transaction
        .insertInto('backups')
        .values({ ...row, row_count: 1, proven_at_ms: 1, problem: null })
        .execute();
    }
  });
  const first = await takeBackup(app);
  expect(named.map((file) => existsSync(file))).toEqual([true, true]);
  const second = await takeBackup(app);
  expect([first, second].map((file) => existsSync(file))).toEqual([false, true]);
  const listed = await app.database.read.selectFrom('backups').select('file').execute();
  expect(listed).toEqual([{ file: second }]);
});

it('a backup list with backups that do not exist does not make the server delete the newest ones', async () => {
  const app = await startTestApp({ LATCHKEY_BACKUP_KEEP: '2' });
  const taken = [await takeBackup(app), await takeBackup(app)];
  const { folder } = app.config.backups;
  await app.database.write(async (transaction) => {
    for (const id of [10, 11, 12]) {
      const started_at_ms = app.clock.now() - id;
      const file = join(folder, nameBackup(started_at_ms, { isEncrypted: false }));
      const row = { id, file, started_at_ms, bytes: 1, sha256: written.sha256, encryption: null };
      await transaction
        .insertInto('backups')
        .values({ ...row, row_count: 1, proven_at_ms: 1, problem: null })
        .execute();
    }
  });
  taken.push(await takeBackup(app));
  expect(taken.map((file) => existsSync(file))).toEqual([false, true, true]);
  for (let count = 0; count < 3; count++) taken.push(await takeBackup(app));
  expect(taken.map((file) => existsSync(file))).toEqual([false, false, false, false, true, true]);
  const listed = await app.database.read.selectFrom('backups').select('file').orderBy('id').execute();
  expect(listed.map(({ file }) => file)).toEqual(taken.slice(-2));
});

it.skipIf(process.platform === 'win32')('a list that names a device does not keep check busy forever', async () => {
  const { config } = await startTestApp();
  const file = '/dev/null';
  // /dev/zero has the same size, but never ends.
  const row = { id: 1, file, started_at_ms: 0, bytes: 0, sha256: await hashFile(file), encryption: null, row_count: 1 };
  const problems = await findBackupProblems(config, [{ ...row, proven_at_ms: 1, problem: null }]);
  expect(problems).toEqual([expect.stringContaining(`the newest backup, ${file}, was changed`)]);
});
