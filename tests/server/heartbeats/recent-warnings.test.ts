/** The cache of warnings: an entry is found only as long as nothing has happened that could change it. */
import { describe, expect, it } from 'vitest';
import type { Warning } from '../../../server/heartbeats/heartbeat.rules.ts';
import { RecentWarnings, type SeenDevice } from '../../../server/heartbeats/recent-warnings.ts';

const basis = { account: {}, plans: {} };
const minuteMs = 60_000;

const seen = (other: Partial<SeenDevice> = {}): SeenDevice => ({
  userId: 'user 1',
  deviceId: 'device 1',
  network: '192.0.2.0/24',
  instance: 'one start',
  lastSeenAtMs: 1_800_000_000_000,
  ...other,
});

/** Returns the cache after a recorded heartbeat that got this warning. */
function decided(warning?: Warning): RecentWarnings {
  const warnings = new RecentWarnings();
  record(warnings, seen(), warning);
  return warnings;
}

function record(warnings: RecentWarnings, device: SeenDevice, warning?: Warning): void {
  const version = warnings.recordActivity(device, warnings.versionOf(device));
  if (version) warnings.remember(device, { warning, basis, version });
}

describe('a cached warning', () => {
  it.each<Warning | undefined>([undefined, { kind: 'networks', count: 6 }])('is found for a minute: %o', (warning) => {
    const warnings = decided(warning);
    const later = (ms: number) => seen({ lastSeenAtMs: seen().lastSeenAtMs + ms });
    expect(warnings.find(seen(), basis)?.warning).toBe(warning);
    expect(warnings.find(later(minuteMs - 1), basis)).toBeDefined();
    expect(warnings.find(later(minuteMs), basis)).toBeUndefined();
  });

  it.each([
    ['account', { ...basis, account: {} }],
    ['plans', { ...basis, plans: {} }],
  ])('is not found after a change of %s', (_name, changed) => {
    expect(decided().find(seen(), changed)).toBeUndefined();
  });

  it.each([{ userId: 'user 2' }, { network: '198.51.100.0/24' }, { deviceId: 'device 2' }, { instance: 'another' }])(
    'is not returned for %o',
    (other) => {
      expect(decided().find(seen(other), basis)).toBeUndefined();
    },
  );

  it.each([
    ['of the same user on another device', { deviceId: 'device 2' }],
    ['of another user on the same device', { userId: 'user 2' }],
    ['in another network', { network: '198.51.100.0/24' }],
    ['of another start of the app', { instance: 'another' }],
  ])('is invalidated by activity %s', (_name, other) => {
    const warnings = decided();
    warnings.recordActivity(seen(other), warnings.versionOf(seen(other)));
    expect(warnings.find(seen(), basis)).toBeUndefined();
    expect(warnings.find(seen(other), basis)).toBeUndefined();
  });

  it.each([
    ['of the same user on another device', { deviceId: 'device 2' }],
    ['of another user on the same device', { userId: 'user 2' }],
  ])('is not stored if there was activity %s while it was being decided', (_name, other) => {
    const warnings = new RecentWarnings();
    const version = warnings.recordActivity(seen(), warnings.versionOf(seen()));
    record(warnings, seen(other));
    if (version) warnings.remember(seen(), { warning: undefined, basis, version });
    expect(warnings.find(seen(), basis)).toBeUndefined();
  });

  it('gets no version if there was other activity after it was read', () => {
    const warnings = new RecentWarnings();
    const before = warnings.versionOf(seen());
    record(warnings, seen({ userId: 'user 2' }));
    expect(warnings.recordActivity(seen(), before)).toBeUndefined();
  });
});
