/** Fields shared by several messages. */
import { z } from 'zod';
import { deviceIdPattern } from '../formats/device-id.ts';

/**
 * What our own server guarantees beyond the schemas, which also accept responses of other servers. The OpenAPI document
 * describes responses with it, and the tests check every response of our server against that.
 */
export const ourServer = z.registry<{
  /** The only possible values of a text. */
  readonly values?: readonly string[];
  /** The field is always sent, though optional in the schema. */
  readonly isAlwaysSent?: true;
}>();

/** Returns a text for which our server sends only these values; clients accept any. */
export function openText(values: readonly string[]) {
  return z.string().register(ourServer, { values });
}

/** Returns an optional field that our server always sends; other servers may omit it. */
export function alwaysSent<T extends z.ZodType>(schema: T) {
  const optional = schema.optional();
  ourServer.add(optional, { isAlwaysSent: true });
  return optional;
}

/** ISO 8601. Our server writes UTC with milliseconds and `Z`; other forms are accepted from other servers. */
export const timestamp = z.iso.datetime({ offset: true });

/** Latest timestamp with a four-digit year, in ms since 1970. */
export const lastTimestampMs = Date.parse('9999-12-31T23:59:59.999Z');

/** Seconds since 1970. */
export const epochSeconds = z
  .int()
  .nonnegative()
  .max(Math.floor(lastTimestampMs / 1000));

/** Name of a user or device: up to 200 characters (code points) that a database can store. */
export const nameText = z
  .string()
  .refine((text) => [...text].length <= 200, 'must have at most 200 characters')
  .refine((text) => text.isWellFormed() && !text.includes('\0'), 'must be valid Unicode text without NUL')
  .meta({ maxLength: 200 });

/** `HW-` and four groups of eight upper-case hex characters. */
export const deviceId = z
  .string()
  .regex(deviceIdPattern, 'must be HW- and four groups of eight upper-case hex characters');
