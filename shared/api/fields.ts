/** Field schemas that several messages share. */
import { z } from 'zod';

/** ISO 8601 UTC. The server writes milliseconds and `Z`; other servers' spellings are read as well. */
export const timestamp = z.iso.datetime({ offset: true });

/** A name that a person or a machine has: at most 200 characters, counted as code points, and nothing that cannot be stored. */
export const nameText = z
  .string()
  .refine((text) => [...text].length <= 200, 'must have at most 200 characters')
  .refine((text) => text.isWellFormed() && !text.includes('\0'), 'must be valid Unicode text without NUL')
  .meta({ maxLength: 200 });

/** A `device_id` (interface §2): `HW-` and four groups of eight upper-case hex characters. */
export const deviceId = z
  .string()
  .regex(/^HW(?:-[0-9A-F]{8}){4}$/, 'must be HW- and four groups of eight upper-case hex characters');
