/** The kinds of value that a setting can have, each parsed from the text of an environment variable. */
import { isIP } from 'node:net';
import { z } from 'zod';
import { signUpModes } from '../../shared/api/about.ts';
import { type StaffRole, staffRole, staffRoles } from '../../shared/api/staff-role.ts';
import { isBasePath } from '../base-path.ts';
import { isLoopback } from '../loopback.ts';
import { parseWebhookSecret } from '../webhook-signature.ts';

export const text = z.string();

/** A bearer token (RFC 6750, section 2.1), long enough not to be guessed. The message does not quote it. */
export const token = z
  .string()
  .regex(/^[\w.~+/=-]{16,}$/, 'it must have at least 16 characters: letters, digits, - . _ ~ + / =');

/** A whole number within inclusive bounds. */
export function wholeNumber(min: number, max: number) {
  const message = `it must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message);
}

export const onOff = z.enum(['0', '1'], 'it must be 0 or 1').transform((value) => value === '1');

export const signUpMode = z.enum(signUpModes, `it must be ${signUpModes.join(' or ')}`);

const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `90s`, `15m`, `1h` or `7d`, in ms. */
export const duration = z
  .string()
  .regex(/^[1-9]\d{0,5}[smhd]$/, 'it must be a duration such as 90s, 15m, 1h or 7d')
  .transform((value) => Number(value.slice(0, -1)) * unitMs[value.slice(-1) as keyof typeof unitMs]);

/** A duration, or `undefined` for `off`. */
export const durationOrOff = z
  .union([z.literal('off'), duration], 'it must be off, or a duration such as 7d')
  .transform((value) => (value === 'off' ? undefined : value));

const maxDurations = 10;
const durationsMessage = `it must be up to ${maxDurations} different durations of at most 3650d, such as 14d,3d`;
const longestMs = 3650 * unitMs.d;

/** Several durations, separated by commas; none if the text is empty. */
export const durations = z
  .string()
  .transform((value) => (value.trim() === '' ? [] : value.split(',').map((part) => part.trim())))
  .pipe(
    z
      .array(duration.refine((value) => value <= longestMs, durationsMessage))
      .max(maxDurations, durationsMessage)
      .refine((values) => new Set(values).size === values.length, durationsMessage),
  );

/** The server's address: http or https, a host, optionally a port and a base path, and nothing else. */
export const publicUrl = z
  .string()
  .refine(
    isPublicUrl,
    'it must be an address such as https://licenses.example.com or https://example.com/latchkey, whose path has letters, digits and - . _ ~ only and neither begins nor ends as a path of the server itself does, such as /admin or /api/v1',
  )
  .transform((value) => new URL(value));

/** Checks the path as written, because `URL` resolves `..` and turns backslashes into slashes. */
function isPublicUrl(value: string): boolean {
  const written = /^https?:\/\/[^/?#@\\\s]+(\/.*)?$/i.exec(value);
  return written !== null && URL.canParse(value) && isBasePath(written[1] ?? '');
}

/** The URL of a PostgreSQL database. The message does not quote it, because it may contain a password. */
export const postgresUrl = z
  .string()
  .refine(
    (value) => /^postgres(?:ql)?:\/\//.test(value) && URL.canParse(value),
    'it must be a URL such as postgres://user:password@host:5432/database',
  );

/** The URL of a Redis server. The message does not quote it either. */
export const redisUrl = z
  .string()
  .refine(isRedisUrl, 'it must be a URL such as redis://user:password@host:6379/0, or rediss://… for TLS');

function isRedisUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname, pathname, username, password } = new URL(value);
  if (!/^rediss?:$/.test(protocol) || hostname === '' || !/^(?:\/\d{0,5})?$/.test(pathname)) return false;
  return isPercentEncoded(username + password);
}

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The public key of a recipient. Only its shape is checked here; other errors are found at the start. */
export const ageRecipient = z
  .string()
  .regex(/^age1[0-9a-z]{10,4000}$/, 'it must be the public key of an age recipient, such as age1…');

/** The URL of a mail server. The message does not quote it, because it may contain a password. */
export const smtpUrl = z
  .string()
  .refine(
    isSmtpUrl,
    'it must be a URL such as smtp://user:password@mail.example.com:587, or smtps://… for TLS from the start',
  )
  .transform((value) => new URL(value));

function isSmtpUrl(value: string): boolean {
  if (!/^smtps?:\/\//.test(value) || !URL.canParse(value)) return false;
  const { hostname, pathname, search, hash, username, password } = new URL(value);
  if (hostname === '' || !/^\/?$/.test(pathname) || search + hash !== '') return false;
  return isPercentEncoded(username + password);
}

/** `name@example.com`, or `Name <name@example.com>`. */
export const mailSender = z
  .string()
  .regex(
    /^(?:[^<>"\r\n]*<[^<>\s@]+@[^<>\s@]+>|[^<>\s@]+@[^<>\s@]+)$/,
    'it must be an address such as licenses@example.com, or Example <licenses@example.com>',
  );

/** A hop count, or addresses and networks separated by commas. */
export const trustProxy = z
  .string()
  .transform((value) => (/^[1-9]\d?$/.test(value) ? Number(value) : value.split(',').map((part) => part.trim())))
  .refine(
    (value) => typeof value === 'number' || value.every(isNetwork),
    'it must be the number of proxies in front (1 or more), or their addresses, such as 10.0.0.1,10.1.0.0/16',
  );

function isNetwork(value: string): boolean {
  const [address = '', bits, ...rest] = value.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** A Standard Webhooks secret, as its key. The message does not quote it. */
export const webhookSecret = z.string().transform((value, context) => {
  const key = parseWebhookSecret(value);
  if (key) return key;
  context.addIssue('it must be whsec_ and at least 16 bytes in base64');
  return z.NEVER;
});

/** `price_1=standard,price_2=advanced`: the plan of each price. */
export const pricePlans = z
  .string()
  .transform((value) => value.split(',').map((part) => part.split('=').map((text) => text.trim())))
  .refine(
    (pairs) => pairs.every((pair) => pair.length === 2 && pair.every((text) => text !== '')),
    'it must be a list such as price_1=standard,price_2=advanced',
  )
  .transform((pairs): ReadonlyMap<string, string> => new Map(pairs.map(([price = '', plan = '']) => [price, plan])));

/** The issuer of an identity provider, as it names itself. Plain HTTP is accepted for this machine only. */
export const oidcIssuer = z
  .string()
  .refine(isIssuer, 'it must be an address such as https://login.example.com, as the provider itself writes it');

function isIssuer(value: string): boolean {
  if (!/^https?:\/\//.test(value) || !URL.canParse(value)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(value);
  return (protocol === 'https:' || isLoopback(hostname)) && username + password + search + hash === '';
}

/** `admins=owner,helpdesk=support`: the role of each group. A group name may contain `=`. */
export const groupRoles = z
  .string()
  .transform((value) =>
    value.split(',').map((part) =>
      /^(.+)=([^=]*)$/
        .exec(part)
        ?.slice(1)
        .map((each) => each.trim()),
    ),
  )
  .refine(
    (pairs) => pairs.every((pair) => pair?.[0] !== '' && staffRole.safeParse(pair?.[1]).success),
    `it must be a list such as admins=owner,helpdesk=support, with the roles ${staffRoles.join(', ')}`,
  )
  .transform(
    (pairs): ReadonlyMap<string, StaffRole> =>
      new Map(pairs.map((pair) => [pair?.[0] ?? '', staffRole.parse(pair?.[1])] as const)),
  );
