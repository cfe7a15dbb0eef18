/** The log: structured lines on stderr, with anything that could be a secret left out. */
import type { FastifyBaseLogger } from 'fastify';
import { destination, pino, stdSerializers, stdTimeFunctions } from 'pino';
import { leaveOutSecrets } from './leave-out-secrets.ts';

export function createLog(level: string): FastifyBaseLogger {
  return pino(
    {
      level,
      formatters: { log: (fields) => leaveOutSecrets(fields) },
      serializers: { err: (error: Error) => leaveOutSecrets(stdSerializers.err(error)) },
      timestamp: stdTimeFunctions.isoTime,
      base: undefined,
    },
    destination({ dest: 2, sync: true }),
  );
}
