/**
 * What `npm test` leaves to `npm test -- --all`: the test files that take longest, while others of their kind stay. All
 * of them together take about three times as long as the rest.
 */

/** Set by `npm test`; not by a suite that is started by itself. */
export const isQuick = process.env.TEST_QUICK === '1';

/** Of each group of scenes of a page, the quick run checks one. */
const quickSceneEvery = 12;

/** The scenes that are to be checked. */
export function chooseScenes<Scene>(scenes: readonly Scene[]): readonly Scene[] {
  return isQuick ? scenes.filter((_, index) => index % quickSceneEvery === 0) : scenes;
}

export const longTests: readonly string[] = [
  'tests/admin-page/installers.spec.ts',
  'tests/admin-page/license-mail.spec.ts',
  'tests/admin-page/offline-lease.spec.ts',
  'tests/admin-page/own-password.spec.ts',
  'tests/admin-page/webhooks.spec.ts',
  'tests/conformance/combinations.test.ts',
  'tests/conformance/generated-client/generated-client.test.ts',
  'tests/e2e/browser-host.spec.ts',
  'tests/e2e/clock.spec.ts',
  'tests/e2e/desktop.spec.ts',
  'tests/e2e/email-change.spec.ts',
  'tests/e2e/faults.spec.ts',
  'tests/e2e/reported-api-key.spec.ts',
  'tests/electron/host/start/start.test.ts',
  'tests/electron/packaging/package.test.ts',
  'tests/electron/packaging/packaged-specs.test.ts',
  'tests/faults/backup-under-load.test.ts',
  'tests/faults/damaged-store.test.ts',
  'tests/faults/desktop-kill.test.ts',
  'tests/faults/desktop-network.test.ts',
  'tests/faults/event-deliveries.test.ts',
  'tests/faults/failover.test.ts',
  'tests/faults/full-disk.test.ts',
  'tests/faults/held-postgres-lock.test.ts',
  'tests/faults/kill-restore.test.ts',
  'tests/faults/kill-secret-rotation.test.ts',
  'tests/faults/kill.test.ts',
  'tests/faults/lost-database.test.ts',
  'tests/faults/postgres-kill.test.ts',
  'tests/faults/postgres-outages.test.ts',
  'tests/faults/postgres-races.test.ts',
  'tests/faults/power-loss.test.ts',
  'tests/faults/silent-start.test.ts',
  'tests/faults/stale-answers.test.ts',
  'tests/faults/start-errors.test.ts',
  'tests/renderer/accessibility.spec.ts',
  'tests/server/api-keys/report-api-key.test.ts',
  'tests/server/audit/audit-log.test.ts',
  'tests/server/audit/audit-retention.test.ts',
  'tests/server/audit/remembered-head.test.ts',
  'tests/server/audit/sealing.test.ts',
  'tests/server/audit/tampering.test.ts',
  'tests/server/auth/password-guessing.test.ts',
  'tests/server/backup/foreign-restore.test.ts',
  'tests/server/backup/move.test.ts',
  'tests/server/backup/postgres.test.ts',
  'tests/server/backup/private-work.test.ts',
  'tests/server/backup/scheduled-backups.test.ts',
  'tests/server/database/cache-invalidation.test.ts',
  'tests/server/database/held-lock.test.ts',
  'tests/server/database/pgbouncer.test.ts',
  'tests/server/database/releases.test.ts',
  'tests/server/database/silent-postgres.test.ts',
  'tests/server/deploy/monitoring.test.ts',
  'tests/server/deploy/proxy.test.ts',
  'tests/server/http/connection-limits.test.ts',
  'tests/server/http/deadline.test.ts',
  'tests/server/http/random-input.test.ts',
  'tests/server/keys/rotation.test.ts',
  'tests/server/mail/email-address.test.ts',
  'tests/server/mail/mail-limits.test.ts',
  'tests/server/policy-preview/many-accounts.test.ts',
  'tests/server/rate-limits/rate-counter.test.ts',
  'tests/server/rate-limits/shared-limits.test.ts',
  'tests/server/retention/retention-job.test.ts',
  'tests/server/secret-rotation/secret-rotation.test.ts',
  'tests/server/staff/admin-endpoints.test.ts',
  'tests/server/workers/workers.test.ts',
];
