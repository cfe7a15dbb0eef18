/** The log: structured lines on stderr, with anything that could be a secret left out. */
import type { FastifyBaseLogger } from 'fastify';
import { destination, pino, stdTimeFunctions } from 'pino';

/** Nothing logs these on purpose; this is the net below. */
const secretNames = [
  'authorization',
  'password',
  'access_token',
  'refresh_token',
  'api_key',
  'license_key',
  'token',
  'headers',
  'body',
  'parameters',
];

export function createLog(level: string): FastifyBaseLogger {
  const redact = { paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[left out]' };
  return pino(
    { level, redact, timestamp: stdTimeFunctions.isoTime, base: undefined },
    destination({ dest: 2, sync: true }),
  );
}
