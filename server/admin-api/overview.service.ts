/** What the overview of the admin page shows, and what needs attention. */
import type { Attention, Overview } from '../../shared/api/admin/overview.ts';
import { type Clock, toIso } from '../clock.ts';
import type { Config } from '../config.ts';
import type { InstallerService } from '../installers/installer.service.ts';
import type { StaffAdminService } from '../staff/staff-admin.service.ts';
import type { StatisticsService } from '../statistics/statistics.service.ts';

export type OverviewServiceDeps = {
  readonly clock: Clock;
  readonly config: Pick<Config, 'allowsPlainHttp'>;
  readonly statistics: StatisticsService;
  readonly installers: InstallerService;
  readonly staffAdmin: StaffAdminService;
};

/** How long before an end it needs attention. */
const endingDays = 14;

export class OverviewService {
  readonly #deps: OverviewServiceDeps;

  constructor(deps: OverviewServiceDeps) {
    this.#deps = deps;
  }

  async get(): Promise<Overview> {
    const { statistics } = this.#deps;
    const { counts, countedAtMs } = await statistics.readTotals();
    return {
      counted_at: countedAtMs === undefined ? null : toIso(countedAtMs),
      counts: {
        accounts: counts.accounts,
        subscriptions: counts.subscriptions,
        licenses: counts.active_licenses,
        devices: counts.devices,
        devices_alive: counts.devices_alive,
        api_keys: counts.current_api_keys,
      },
      days: await statistics.readDays(counts.devices_today),
      attention: await this.#findAttention(),
      last_proven_restore: null,
    };
  }

  async #findAttention(): Promise<Attention[]> {
    const { config, installers, staffAdmin, statistics } = this.#deps;
    const found: Attention[] = [];
    const staff = await staffAdmin.list();
    if (config.allowsPlainHttp) found.push({ kind: 'plain_http', params: {} });
    if (staff.filter(({ role }) => role === 'owner').length === 1) found.push({ kind: 'single_owner', params: {} });
    const withoutPasskey = staff.filter(({ passkeys }) => passkeys === 0).length;
    if (withoutPasskey > 0) found.push({ kind: 'staff_without_passkey', params: { count: withoutPasskey } });
    const { pastDue, licensesEnding, legacyKeysEnding } = await statistics.countAttention(endingDays);
    if (pastDue > 0) found.push({ kind: 'subscriptions_past_due', params: { count: pastDue } });
    const ending = (count: number) => ({ count, days: endingDays });
    if (licensesEnding > 0) found.push({ kind: 'licenses_ending', params: ending(licensesEnding) });
    if (legacyKeysEnding > 0) found.push({ kind: 'legacy_keys_ending', params: ending(legacyKeysEnding) });
    if (!(await installers.get())) found.push({ kind: 'no_installer', params: {} });
    return found;
  }
}
