/** The history of devices and activity as CSV (RFC 4180), safe to open in a spreadsheet. */
import { escapeFormulas } from '../../shared/formats/csv.ts';
import type { ActivityEntry, Device } from '../../shared/ipc/app-state.ts';
import { type Result, succeed } from '../../shared/ipc/result.ts';
import type { ActivityLog } from './activity-log.ts';
import type { ChangeNotifier } from './change-notifier.ts';
import type { Devices } from './devices.ts';
import type { FeatureGate } from './feature-gate.ts';

type HistoryDeps = {
  readonly features: FeatureGate;
  readonly devices: Devices;
  readonly activity: ActivityLog;
  readonly changes: ChangeNotifier;
};

export class History {
  readonly #deps: HistoryDeps;

  constructor(deps: HistoryDeps) {
    this.#deps = deps;
  }

  /** Requires `csv_export`. */
  csv(): Result<string> {
    const { features, devices, activity } = this.#deps;
    const gate = features.check('csv_export');
    return gate.ok ? succeed(formatHistory(devices.list.value ?? [], activity.entries)) : gate;
  }

  /** Adds the export to the activity list. */
  recordExport(fileName: string): void {
    this.#deps.activity.add('history-exported', fileName);
    this.#deps.changes.notify();
  }
}

const header = ['record', 'time', 'device', 'platform', 'event', 'detail'];

/** The devices, then the activity, newest first; lines end in CRLF. */
export function formatHistory(devices: readonly Device[], activity: readonly ActivityEntry[]): string {
  const deviceRows = devices.map(({ lastSeenAt, name, platform, activity, deviceId }) => [
    'device',
    lastSeenAt,
    name,
    platform,
    activity,
    deviceId,
  ]);
  const activityRows = activity.map(({ at, kind, detail }) => ['activity', at, '', '', kind, detail ?? '']);
  return [header, ...deviceRows, ...activityRows].map((row) => `${row.map(formatField).join(',')}\r\n`).join('');
}

function formatField(value: string): string {
  const safe = escapeFormulas(value);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
