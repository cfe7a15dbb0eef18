/** Compares plans. */
import type { Features } from '../../shared/api/features.ts';
import { isOn, namesOf } from '../../shared/formats/feature-fields.ts';

/**
 * Returns true if the first gives everything that the second gives: at least as many devices, and each of its features.
 */
export function covers(one: Features, other: Features): boolean {
  return one.max_devices >= other.max_devices && namesOf(other).every((name) => isOn(one, name) || !isOn(other, name));
}
