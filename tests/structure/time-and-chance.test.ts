/**
 * Time, waiting and randomness are passed in (`Clock`, `Scheduler`, `Random`), so that everything can run under a seed.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repository } from '../harness/environment.ts';

const own =
  /\b(?:setTimeout|setInterval|setImmediate|queueMicrotask)\(|timers\/promises|performance\.now\(|\bDate\.now\(|new Date\(\)|AbortSignal\.timeout|Math\.random|\brandom(?:UUID|Bytes|FillSync)\b/;

/** Files that use their own clock, timers or randomness, each with the reason why that cannot affect a seeded run. */
const exceptions: Readonly<Record<string, string>> = {
  'server/clock.ts': 'the port itself',
  'server/system-random.ts': 'the port itself',
  'server/scheduler.ts': 'the port itself',
  'server/main.ts': 'watches its parent process',
  'server/server-process.ts': 'ends a process that does not stop',
  'server/log.ts': 'writes the log to its file now and then',
  'server/deadline.ts': 'gives up on work that does not end: nothing under a seed takes that long',
  'server/batch-loader.ts': 'lets the rest of a turn of the event loop join a batch; no time passes',
  'server/database/list-page.ts': 'bounds the search for one page, and lets other requests have their turn',
  'server/admin-api/list-response.ts': 'lets other requests have their turn; no time passes',
  'server/database/postgres-database.ts': 'talks to another process',
  'server/database/postgres-change-channel.ts': 'talks to another process',
  'server/database/write-queue.ts':
    'only the pause before it tries again for a lock that another process has is by chance',
  'server/database/migrations/baseline/baseline.ts': 'names an installation, once',
  'server/admin/lease-files.ts': 'names a temporary file',
  'server/audit/head-store.ts': 'names a temporary file',
  'server/backup/backup-job.ts': 'names an attempt',
  'server/backup/backup-process.ts': 'measures a process of its own',
  'server/backup/backup-worker.ts': 'ends a process of its own',
  'server/backup/migration-dry-run.ts': 'tells an admin how long the copy took',
  'server/backup/output-file.ts': 'names a temporary file',
  'server/backup/work-folder.ts': 'compares with the times of files',
  'server/updates/update-files.ts': 'names a temporary file',
  'server/http/connection-limits.ts': 'closes sockets, by a timer of Node',
  'server/http/connections.ts': 'closes sockets',
  'server/http/request-decorators.ts': 'closes sockets',
  'server/http/streamed-body.ts': 'closes sockets',
  'server/mail/smtp-mailer.ts': 'talks to another server',
  'server/oidc/identity-provider.ts': 'talks to another server',
  'server/rate-limits/rate-counter.ts': 'gives up on Redis or PostgreSQL',
  'server/webhooks/http-sender.ts': 'the port `SendEvent` for real endpoints',
  'server/workers/metrics-exchange.ts': 'talks to other processes',
  'server/workers/primary.ts': 'starts other processes',
};

const files = globSync('{server,shared,electron/licensing}/**/*.ts', { cwd: repository }).filter(
  (file) => !file.startsWith('server/demo/') && !file.endsWith('.d.ts'),
);

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}

it('no file uses its own clock, timers or randomness except for the listed ones', () => {
  const found = files.filter((file) => own.test(withoutComments(readFileSync(join(repository, file), 'utf8'))));
  expect(found.sort()).toStrictEqual(Object.keys(exceptions).sort());
});
