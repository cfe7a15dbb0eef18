/** The log: JSON lines on stderr, without secrets. */
import type { FastifyBaseLogger } from 'fastify';
import { destination, pino, stdSerializers, stdTimeFunctions } from 'pino';
import { redact } from './redact.ts';

/** If every request is logged: number of bytes written at once, and the longest time that they are buffered, in ms. */
const bufferBytes = 8 * 1024;
const flushIntervalMs = 1000;

type LogSettings = { readonly logLevel: string; readonly logRequests: 'notable' | 'all' };

/** If every request is logged, lines are buffered; the rest is flushed when the process exits, even in a crash. */
export function createLog({ logLevel, logRequests }: LogSettings): FastifyBaseLogger {
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
