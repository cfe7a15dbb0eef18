/** The log: JSON lines on stderr, without secrets. */
import type { FastifyBaseLogger } from 'fastify';
import { destination, pino, stdSerializers, stdTimeFunctions } from 'pino';
import type { Config } from './config.ts';
import { redact } from './redact.ts';

/** How many bytes of a log with a line for each request are written together, and how long they wait at most. */
const bufferBytes = 8 * 1024;
const flushIntervalMs = 1000;

/** Where every request has a line, lines are written together; the rest when the process exits, also by a crash. */
export function createLog({ logLevel, logRequests }: Pick<Config, 'logLevel' | 'logRequests'>): FastifyBaseLogger {
  const stream = destination({ dest: 2, sync: true, minLength: logRequests === 'all' ? bufferBytes : 0 });
  if (logRequests === 'all') {
    setInterval(() => stream.flush(), flushIntervalMs).unref();
    process.on('exit', () => stream.flushSync());
  }
  return pino(
    {
      level: logLevel,
      formatters: { log: (fields) => redact(fields) },
      serializers: { err: (error: Error) => redact(stdSerializers.err(error)) },
      timestamp: stdTimeFunctions.isoTime,
      base: undefined,
    },
    stream,
  );
}
