/** The data of the overview, the audit log, the API keys and the server screen in the gallery. */
import type { AdminResponseOf } from '../../shared/api/admin-endpoints.ts';

const dayMs = 86_400_000;
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

export function sampleOverview(): AdminResponseOf<'overview'> {
  const days = Array.from({ length: 30 }, (_, index) => ({
    date: ago((29 - index) * dayMs).slice(0, 10),
    devices_alive: index === 4 ? null : 840 + ((index * 37) % 160),
    activations: (index * 13) % 29,
    sign_ins: 120 + ((index * 53) % 90),
    refusals: index === 21 ? 96 : (index * 7) % 11,
  }));
  return {
    counted_at: ago(120_000),
    counts: { accounts: 1284, subscriptions: 911, licenses: 1033, devices: 1620, devices_alive: 987, api_keys: 402 },
    days,
    attention: [
      { kind: 'single_owner', params: {} },
      { kind: 'licenses_ending', params: { count: 12, days: 14 } },
      { kind: 'backup_not_proven', params: {} },
    ],
    last_proven_restore: null,
  };
}

/** The hashes of a version that was published for two platforms. */
export function sampleInstallers(version = '4.2.0'): AdminResponseOf<'installers'> {
  const hash = (pair: string) => `sha256:${pair.repeat(32)}`;
  return {
    installers: { version, hashes: { windows_x64: hash('a3'), linux_amd64: hash('7f') }, updated_at: ago(dayMs) },
  };
}

/** One version that is being rolled out, and the previous one, of which this server has lost a file. */
export function sampleUpdateFeed(): AdminResponseOf<'updateFeed'> {
  const file = (name: string, missing: boolean) => ({
    ...{ name, platform: 'windows_x64', bytes: 98_304_000, missing },
    ...{ sha256: 'a3'.repeat(32), sha512: `${'A'.repeat(86)}==` },
  });
  const version = { published_at: ago(dayMs), percent: 25, manifest: true };
  return {
    versions: [
      { ...version, version: '4.2.0', files: [file('Latchkey-4.2.0.exe', false)] },
      { ...version, version: '4.1.0', percent: 100, manifest: false, files: [file('Latchkey-4.1.0.exe', true)] },
    ],
  };
}

/** The audit entry of the publication of a version. */
export function samplePublication(version = '4.2.0'): AdminResponseOf<'audit'> {
  const entry = {
    id: '0198a0de-0000-7000-8000-000000000009',
    at: ago(dayMs),
    actor: 'grace@lab.example',
    action: 'installer.publish',
    target: `installer ${version}`,
    target_id: null,
    address: '203.0.113.7',
    details: {},
  };
  return { events: [entry], next: null, total: { count: 1, is_exact: true } };
}

export function sampleAudit(): AdminResponseOf<'audit'> {
  const entries = [
    ['grace@lab.example', 'license.revoke', 'license SVC-AB12...WXYZ', '203.0.113.7'],
    ['', 'account.sign_in_refused', 'account ada@lab.example', '198.51.100.23'],
    ['admin command', 'plan.set', 'plan standard', null],
  ] as const;
  return {
    events: entries.map(([actor, action, target, address], index) => ({
      id: `0198a0de-0000-7000-8000-00000000000${index}`,
      at: ago(index * 3_600_000),
      actor,
      action,
      target,
      target_id: target.startsWith('license') ? '0198a0de-0000-7000-8000-0000000000aa' : null,
      address,
      details: action === 'plan.set' ? { max_devices: 5 } : {},
    })),
    next: null,
    total: { count: entries.length, is_exact: true },
  };
}

export function sampleApiKeys(): AdminResponseOf<'apiKeys'> {
  const keys = [
    ['ada@lab.example', false, null],
    ['alan@lab.example', true, null],
    ['emmy@lab.example', false, ago(3 * dayMs)],
  ] as const;
  return {
    api_keys: keys.map(([email, is_legacy, revoked_at], index) => ({
      id: `0198a0de-0000-7000-8000-00000000001${index}`,
      user_id: `0198a0de-0000-7000-8000-00000000002${index}`,
      api_key_prefix: `svc_live_${'aB3x'.slice(index)}${'Zq'.slice(0, index)}`,
      is_legacy,
      created_at: ago((index + 1) * 20 * dayMs),
      expires_at: is_legacy ? new Date(Date.now() + 40 * dayMs).toISOString() : null,
      revoked_at,
      email,
    })),
    next: null,
    total: { count: keys.length, is_exact: true },
  };
}

export function sampleServer(): AdminResponseOf<'serverInfo'> {
  return {
    version: '1.4.0',
    node_version: '24.21.0',
    started_at: ago(2 * dayMs),
    now: ago(0),
    database: {
      kind: 'sqlite',
      size_bytes: 48_234_496,
      migrations: [{ name: '0001-first-release', applied_at: ago(90 * dayMs) }],
    },
    settings: [
      {
        name: 'LATCHKEY_PORT',
        value: '8470',
        is_default: true,
        meaning: 'The port to listen on. 0 picks a free one.',
      },
      {
        name: 'LATCHKEY_METRICS_TOKEN',
        value: '•••',
        is_default: false,
        meaning: 'The token with which callers on other machines read `/metrics`.',
      },
    ],
    can_send_mail: false,
  };
}
