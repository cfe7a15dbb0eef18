/** The log: JSON lines on stderr, without secrets. */
import type { FastifyBaseLogger } from 'fastify';
import { destination, pino, stdSerializers, stdTimeFunctions } from 'pino';
import { redact } from './redact.ts';

export function createLog(level: string): FastifyBaseLogger {
  return pino(
    {
      level,
      formatters: { log: (fields) => redact(fields) },
      serializers: { err: (error: Error) => redact(stdSerializers.err(error)) },
      timestamp: stdTimeFunctions.isoTime,
      base: undefined,
    },
    destination({ dest: 2, sync: true }),
  );
}
