/** Collects what the overview of the admin page shows, and what needs attention. */
import type { Attention, Overview } from '../../shared/api/admin/overview.ts';
import type { AuditSealingService } from '../audit/audit-sealing.service.ts';
import { type BackupState, readBackupState } from '../backup/last-proven.ts';
import { dayMs, toIsoOrNull } from '../clock.ts';
import type { CommonDeps } from '../common-deps.ts';
import type { InstallerService } from '../installers/installer.service.ts';
import { fileBelongsTo } from '../secrets/secrets.ts';
import type { StaffAdminService } from '../staff/staff-admin.service.ts';
import { maxAttention, type StatisticsService } from '../statistics/statistics.service.ts';
import { findLateEndpoints } from '../waiting-events.ts';
import { findLateMails } from '../waiting-mails.ts';

export type OverviewDeps = Pick<CommonDeps, 'config' | 'database' | 'clock'> & {
  readonly auditSealing: Pick<AuditSealingService, 'isTruncated'>;
  readonly statistics: StatisticsService;
  readonly installers: InstallerService;
  readonly staffAdmin: StaffAdminService;
};

/** Number of days before an end, and after a failure, during which it needs attention. */
const shownDays = 14;
/** Number of days for which a proven restore of a backup is sufficient. */
const provenForDays = 7;

/** Returns the counts, the last days, and what needs attention. */
export async function readOverview(deps: OverviewDeps): Promise<Overview> {
  const { database, clock, statistics } = deps;
  const backups = await readBackupState(database.read);
  const { counts, countedAtMs } = await statistics.readTotals();
  return {
    counted_at: toIsoOrNull(countedAtMs),
    counts: {
      accounts: counts.accounts,
      subscriptions: counts.subscriptions,
      licenses: counts.active_licenses,
      devices: counts.devices,
      devices_alive: counts.devices_alive,
      api_keys: counts.current_api_keys,
    },
    days: await statistics.readDays(counts.devices_today),
    attention: [...checkBackups(backups, clock.now()), ...(await findAttention(deps))],
    last_proven_restore: toIsoOrNull(backups.provenAtMs),
  };
}

function checkBackups({ provenAtMs, hasFailed }: BackupState, nowMs: number): Attention[] {
  if (provenAtMs === undefined) return [{ kind: 'backup_not_proven', params: {} }];
  const days = Math.floor((nowMs - provenAtMs) / dayMs);
  return hasFailed || days >= provenForDays ? [{ kind: 'backup_not_proven', params: { days } }] : [];
}

async function findAttention(deps: OverviewDeps): Promise<Attention[]> {
  const { database, clock, config, auditSealing, installers, staffAdmin, statistics } = deps;
  const found: Attention[] = [];
  const addIf = (kind: Attention['kind'], isTrue: boolean, params: Attention['params'] = {}) => {
    if (isTrue) found.push({ kind, params });
  };
  const addCount = (kind: Attention['kind'], count: number, params: Attention['params'] = {}) =>
    addIf(kind, count > 0, { count, ...params });
  // At the limit, there may be more rows than the `counted` ones.
  const addCounted = (kind: Attention['kind'], count: number, params: Attention['params'] = {}, counted = count) =>
    addCount(kind, count, counted < maxAttention ? params : { ...params, at_least: 1 });
  const staff = await staffAdmin.list();
  const counts = await statistics.countAttention(shownDays);
  const lateEndpoints = await findLateEndpoints(database.read, clock.now());
  const lateEvents = lateEndpoints.reduce((sum, { count }) => sum + count, 0);
  addIf('secrets_file_lost', !(await fileBelongsTo(database.read, config.secretsFile)));
  addIf('audit_log_cut', auditSealing.isTruncated);
  addIf('plain_http', config.allowsPlainHttp);
  addIf('single_owner', staff.filter(({ role }) => role === 'owner').length === 1);
  addCount('staff_without_passkey', staff.filter(({ passkeys }) => passkeys === 0).length);
  addCounted('subscriptions_past_due', counts.pastDue);
  addCounted('licenses_ending', counts.licensesEnding, { days: shownDays });
  addCounted('legacy_keys_ending', counts.legacyKeysEnding, { days: shownDays });
  addCount('mails_waiting', (await findLateMails(database.read, clock.now()))?.count ?? 0);
  addCount('events_waiting', lateEvents);
  addCounted('webhook_failures', counts.webhookFailures, { days: shownDays }, counts.endedDeliveries);
  addCounted('billing_unknown', counts.billingUnknown);
  addIf('no_installer', !(await installers.get()));
  return found;
}
