/** Fields that several messages share. */
import { z } from 'zod';

/** ISO 8601. Our server writes UTC with milliseconds and `Z`; other forms are accepted from other servers. */
export const timestamp = z.iso.datetime({ offset: true });

/** The name of a user or a device: at most 200 characters (code points), without what a database cannot store. */
export const nameText = z
  .string()
  .refine((text) => [...text].length <= 200, 'must have at most 200 characters')
  .refine((text) => text.isWellFormed() && !text.includes('\0'), 'must be valid Unicode text without NUL')
  .meta({ maxLength: 200 });

/** `HW-` and four groups of eight upper-case hex characters. */
export const deviceId = z
  .string()
  .regex(/^HW(?:-[0-9A-F]{8}){4}$/, 'must be HW- and four groups of eight upper-case hex characters');
