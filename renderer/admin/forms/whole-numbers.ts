/** Validates whole numbers typed into a field, such as a device limit. */
import { maxDeviceCount, maxLeaseDays } from '../../../shared/formats/plan-fields.ts';

export type NumberRange = {
  readonly least: number;
  readonly most: number;
  /** Whether the field may be left empty. */
  readonly isOptional?: boolean;
};

export const deviceCounts: NumberRange = { least: 0, most: maxDeviceCount };
export const percentages: NumberRange = { least: 0, most: 100 };
export const leaseDays: NumberRange = { least: 1, most: maxLeaseDays, isOptional: true };

/** Returns whether the text is a number in the range, or empty where that is allowed. */
export function isInRange(text: string, { least, most, isOptional = false }: NumberRange): boolean {
  if (text === '') return isOptional;
  return /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most;
}
