/** The history of devices and heartbeats as CSV (RFC 4180), safe to open in a spreadsheet. Pure. */
import type { ActivityEntry, Device } from '../../shared/ipc/app-state.ts';

const header = ['record', 'time', 'device', 'platform', 'event', 'detail'];

/** Devices first, then what happened, newest first; lines end in CRLF. */
export function writeHistoryCsv(devices: readonly Device[], activity: readonly ActivityEntry[]): string {
  const rows = [
    header,
    ...devices.map((device) => [
      'device',
      device.lastSeenAt,
      device.name,
      device.platform,
      device.activity,
      device.deviceId,
    ]),
    ...activity.map((entry) => ['activity', entry.at, '', '', entry.kind, entry.detail ?? '']),
  ];
  return rows.map((row) => `${row.map(writeField).join(',')}\r\n`).join('');
}

/** A field that a spreadsheet would read as a formula gets an apostrophe in front (OWASP, CSV injection). */
function writeField(value: string): string {
  const harmless = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
