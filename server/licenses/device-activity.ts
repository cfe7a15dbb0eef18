/** How long a device has been silent, in three words: laptops sleep, so none of them releases it. */
import type { DeviceActivity } from '../../shared/api/license.ts';

const dayMs = 24 * 60 * 60 * 1000;
const idleAfterMs = 7 * dayMs;
const staleAfterMs = 30 * dayMs;

export function readDeviceActivity(lastSeenAtMs: number, nowMs: number): DeviceActivity {
  const silentMs = nowMs - lastSeenAtMs;
  if (silentMs >= staleAfterMs) return 'stale';
  return silentMs >= idleAfterMs ? 'idle' : 'active';
}
