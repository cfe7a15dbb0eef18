/** Every table, none before those that its rows refer to. */
import type { Tables } from '../database/tables.ts';

export const tableOrder = [
  'meta',
  'migrations',
  'users',
  'refresh_families',
  'refresh_tokens',
  'signing_keys',
  'plans',
  'subscriptions',
  'licenses',
  'activations',
  'api_keys',
  'device_sightings',
  'installers',
] as const satisfies readonly (keyof Tables)[];

type Forgotten = Exclude<keyof Tables, (typeof tableOrder)[number]>;

/** Does not compile while a table is missing above. */
export const isTableOrderComplete: [Forgotten] extends [never] ? true : never = true;
