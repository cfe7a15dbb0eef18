/**
 * How an activation is decided.
 *
 * The license comes first: `license.rules.ts` says whether it is usable. On a usable license a device that is active stays
 * active, also where the license is full. Any other device needs a free activation; the request may name the activation
 * of another device that it replaces. Validation uses the same decision, so that `can_activate` says what would happen.
 */
import type { DeviceActivity } from '../../shared/api/license.ts';

/** `T` is an activation, as the caller has it. */
export type ActivationInput<T> = {
  /** The activation of the requesting device, where it is active on the license. */
  readonly existing: T | undefined;
  /** The activation that the request replaces: `unknown` where none of the license's active ones has the id. */
  readonly replaced: T | 'unknown' | undefined;
  /** How many devices are active on the license. */
  readonly activeCount: number;
  readonly maxActivations: number;
};

export type ActivationDecision<T> =
  | { readonly action: 'keep'; readonly activation: T }
  | { readonly action: 'activate'; readonly release: T | undefined }
  | { readonly action: 'reject'; readonly reason: 'replaced_not_found' | 'limit_reached' };

export function decideActivation<T>(input: ActivationInput<T>): ActivationDecision<T> {
  const { existing, replaced, activeCount, maxActivations } = input;
  if (existing !== undefined) return { action: 'keep', activation: existing };
  if (replaced === 'unknown') return { action: 'reject', reason: 'replaced_not_found' };
  const otherDevices = replaced === undefined ? activeCount : activeCount - 1;
  if (otherDevices >= maxActivations) return { action: 'reject', reason: 'limit_reached' };
  return { action: 'activate', release: replaced };
}

const dayMs = 24 * 60 * 60 * 1000;
const idleAfterMs = 7 * dayMs;
const staleAfterMs = 30 * dayMs;

/** How long a device has been silent. Laptops sleep, so no device is released for it. */
export function readDeviceActivity(lastSeenAtMs: number, nowMs: number): DeviceActivity {
  const silentMs = nowMs - lastSeenAtMs;
  if (silentMs >= staleAfterMs) return 'stale';
  return silentMs >= idleAfterMs ? 'idle' : 'active';
}
