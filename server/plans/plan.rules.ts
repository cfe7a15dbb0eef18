/** Compares what plans give. */
import { type Features, featureFlags } from '../../shared/api/features.ts';

/** Whether the first gives all that the second gives: as many devices, and each of its features. */
export function covers(one: Features, other: Features): boolean {
  return one.max_devices >= other.max_devices && featureFlags.every((flag) => one[flag] || !other[flag]);
}
