/** What options and arguments may say, parsed; anything else is wrong usage. */
import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { type FeatureFlag, featureFlags } from '../../shared/api/features.ts';

const date = z.iso.date();
const dateTime = z.iso.datetime({ offset: true, local: true });

/** An ISO 8601 date or time, as milliseconds; UTC where it names no zone. The past is as good as the future. */
export function parseTime(value: string): number {
  if (date.safeParse(value).success) return Date.parse(`${value}T00:00:00Z`);
  if (!dateTime.safeParse(value).success) {
    throw new InvalidArgumentError('It must be an ISO 8601 date or time such as 2027-01-31 or 2027-01-31T12:00:00Z.');
  }
  return Date.parse(/(?:Z|[+-]\d{2}:?\d{2})$/.test(value) ? value : `${value}Z`);
}

const largestCount = 1_000_000;

/** A whole number of devices. */
export function parseCount(value: string): number {
  if (!/^\d{1,7}$/.test(value) || Number(value) > largestCount) {
    throw new InvalidArgumentError(`It must be a whole number from 0 to ${largestCount}.`);
  }
  return Number(value);
}

export type FeatureSwitches = Partial<Record<FeatureFlag, boolean>>;

/** `csv_export=true`, added to those before it. */
export function collectFeature(value: string, previous: FeatureSwitches = {}): FeatureSwitches {
  const [name = '', state = '', ...rest] = value.split('=');
  const flag = featureFlags.find((known) => known === name);
  if (!flag) throw new InvalidArgumentError(`The features are: ${featureFlags.join(', ')}.`);
  if (rest.length > 0 || (state !== 'true' && state !== 'false')) {
    throw new InvalidArgumentError(`Write ${flag}=true or ${flag}=false.`);
  }
  return { ...previous, [flag]: state === 'true' };
}

/** The SHA-256 of an API key: 64 hex characters, with or without `sha256:`. */
export function parseSha256(value: string): string {
  const hex = value.toLowerCase().replace(/^sha256:/, '');
  if (!/^[0-9a-f]{64}$/.test(hex)) throw new InvalidArgumentError('It must be 64 hex characters.');
  return hex;
}
