/** The log: JSON lines on stderr, without secrets. */
import type { FastifyBaseLogger } from 'fastify';
import { destination, pino, stdSerializers, stdTimeFunctions } from 'pino';
import { redact } from './redact.ts';

/** If every request is logged: number of bytes written at once, and the longest time that they are buffered, in ms. */
const bufferBytes = 8 * 1024;
const flushIntervalMs = 1000;
/** Maximum size of the lines that wait while nothing can be written, such as on a full disk; further ones are dropped. */
const maxWaitingBytes = 1024 * 1024;

type LogSettings = { readonly logLevel: string; readonly logRequests: 'notable' | 'all' };

/**
 * If every request is logged, lines are buffered; the rest is flushed when the process exits, even in a crash. A log that
 * cannot be written neither ends the server nor keeps it from ending.
 */
export function createLog({ logLevel, logRequests }: LogSettings): FastifyBaseLogger {
  const minLength = logRequests === 'all' ? bufferBytes : 0;
  const stream = destination({ dest: 2, sync: true, minLength, maxLength: maxWaitingBytes });
  // Without a listener, the error would be thrown. The next line tries again.
  stream.on('error', () => {});
  if (logRequests === 'all') {
    setInterval(() => stream.flush(), flushIntervalMs).unref();
    // `flushSync` would try again for ever if the reader is gone or the disk is full.
    process.on('exit', () => stream.flush());
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
