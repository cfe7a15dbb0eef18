/** The output of a command for people; scripts use `--json`. */
import { withPrintableTexts } from '../../shared/formats/printable.ts';
import type { ClientCommand } from './client-commands.ts';
import type { CommandFailure } from './command-result.ts';
import type { StatusDocument } from './status-document.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * Returns the text of a command's document, without a trailing newline. Device names and server messages are untrusted:
 * each is made safe to print before it is put into a line, so that none can start another line.
 */
export function formatResult(command: ClientCommand, document: unknown): string {
  const value = withPrintableTexts(document);
  switch (command) {
    case 'status':
      return formatStatus(value as StatusDocument);
    case 'sign-in': {
      const { account } = value as { account: Json };
      return `Signed in as ${account.email}.`;
    }
    case 'sign-out':
      return 'Signed out. The device stays activated.';
    case 'activate': {
      const { license, activations, max_activations } = value as Json;
      return `This device is activated on ${license}: ${activations} of ${max_activations} in use.`;
    }
    case 'devices':
      return formatDevices(value as readonly Json[]);
    case 'devices release':
      return 'Released.';
    case 'feature': {
      const { feature, on, reason, available_on, decided_by, until } = value as Json;
      if (on) return `${feature} is on${until === null ? '' : ` until ${until}`} (decided by: ${decided_by}).`;
      const plan = typeof available_on === 'string' ? ` The plan ${available_on} has it.` : '';
      return `${feature} is off: ${reason} (decided by: ${decided_by}).${plan}`;
    }
    case 'why':
      return (value as readonly WhyEntry[]).map(formatWhy).join('\n\n');
    case 'devices rename': {
      const { device } = value as { device: Json };
      return `This device is called ${device.name || 'nothing'} now.`;
    }
    case 'doctor':
      return formatDoctor(value as { readonly steps: readonly Json[] });
    case 'lease request': {
      const { file } = value as Json;
      const { qr } = document as Json;
      const next = 'It contains the license key. Have it signed: admin lease sign FILE --out ANSWER.lease';
      return [`${file}\n${next}`, ...(typeof qr === 'string' ? [qr] : [])].join('\n\n');
    }
    case 'open':
      return 'Opened in the window.';
    case 'scan':
      return formatKeys(value as readonly Json[]);
    case 'support': {
      const { file, bytes } = value as Json;
      return `${file} (${bytes} bytes). It contains no passwords or keys. Read it before you pass it on.`;
    }
    case 'lease show':
    case 'lease renew':
      return formatFields(value as Json);
    case 'lease import':
      return formatFields((value as { lease: Json }).lease);
    case 'verify': {
      const { genuine, version, platform, hash } = value as Json;
      return genuine
        ? `Genuine: ${version} for ${platform}.\n${hash}`
        : `Not genuine. The published version is ${version}.\n${hash}`;
    }
    case 'updates check':
    case 'updates install':
      return formatFields(value as Json);
  }
}

function formatDoctor({ steps }: { readonly steps: readonly Json[] }): string {
  const rows = steps.map(({ step, outcome, finding, detail, measured_ms, remedy }): [string, string] => {
    const fact = typeof detail === 'string' ? ` (${detail})` : '';
    const time = typeof measured_ms === 'number' ? `, ${Math.round(measured_ms)} ms` : '';
    return [String(step), `${outcome}: ${finding}${fact}${time}${remedy === null ? '' : ` → ${remedy}`}`];
  });
  return formatRows(rows);
}

function formatKeys(keys: readonly Json[]): string {
  if (keys.length === 0) return 'No key was found.';
  return keys
    .map(({ file, line, column, kind, preview, reported }) => {
      return `${file}:${line}:${column} ${kind} ${preview}${reported ? ' (reported)' : ''}`;
    })
    .join('\n');
}

/** Includes the devices of a failure at the device limit, so that one can be named in `--replace`. */
export function formatFailure(failure: CommandFailure): string {
  const { error, devices } = withPrintableTexts(failure) as CommandFailure;
  if (!Array.isArray(devices) || devices.length === 0) return error;
  return `${error} Add --replace with the id of a device to release it in the same step:\n${formatDevices(devices)}`;
}

function formatStatus(status: StatusDocument): string {
  const { server, account, license, lease, device, features } = status;
  const rows: [string, string][] = [
    ['license', [license.state, license.reason, license.plan, license.license].filter(Boolean).join(' · ')],
    ['works until', license.works_until ?? '–'],
    [
      'account',
      account?.email ?? (status.session_ended === null ? 'signed out' : `signed out (${status.session_ended})`),
    ],
    ['server', `${server.address ?? 'none chosen'}${reachableText(server.reachable)}`],
    ['device', `${device.device_id} ${device.name}`.trim()],
    [
      'lease',
      [lease.state, lease.problem, lease.expires_at && `until ${lease.expires_at}`].filter(Boolean).join(' · '),
    ],
    ['clock', status.clock],
    ['profile', status.profile],
    ...status.store.unreadable.map((name): [string, string] => ['unreadable', name]),
  ];
  const switches = Object.entries(features).map(([name, { on, reason }]): [string, string] => [
    `  ${name}`,
    on ? 'on' : `off (${reason})`,
  ]);
  return formatRows([...rows, ['features', ''], ...switches]);
}

function reachableText(reachable: boolean | null): string {
  if (reachable === null) return '';
  return reachable ? ' (answers)' : ' (does not answer)';
}

function formatDevices(devices: readonly Json[]): string {
  if (devices.length === 0) return 'No device is activated.';
  return devices
    .map((device) => {
      const own = device.this_device ? ', this device' : '';
      return `${device.activation_id}  ${device.device_name || 'unnamed'} (${device.activity}${own}), last seen ${device.last_seen_at}`;
    })
    .join('\n');
}

type WhyEntry = { readonly feature: string; readonly on: boolean; readonly chain: readonly Json[] };

function formatWhy({ feature, on, chain }: WhyEntry): string {
  const steps = chain.map(({ check, source, result, until }): [string, string] => [
    `  ${check}`,
    `${result} (${source})${until === null ? '' : ` until ${until}`}`,
  ]);
  return `${feature}: ${on ? 'on' : 'off'}\n${formatRows(steps)}`;
}

function formatFields(value: Json): string {
  return formatRows(Object.entries(value).map(([name, field]) => [name, field === null ? '–' : String(field)]));
}

function formatRows(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, field]) => `${name.padEnd(width)}  ${field}`.trimEnd()).join('\n');
}
