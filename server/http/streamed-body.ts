/** Streams a response body while it is being read, for as long as its client keeps reading. */
import { Readable } from 'node:stream';

/**
 * How often the progress of a client is checked, and how much it must have read since the last check: 8 KiB a second.
 */
export const progressIntervalMs = 60_000;
const leastProgressBytes = 60 * 8 * 1024;

type Parts = AsyncGenerator<Buffer | string>;

/**
 * Number of bytes that the client has read since the last check, and whether it is waiting for a part that is still
 * being read.
 */
type Progress = { bytes: number; isReading: boolean };

type StreamOptions = {
  readonly highWaterMark?: number;
  /** Called before each part is sent. If it throws, the stream is destroyed with that error. */
  readonly requirePermitted?: () => Promise<void>;
};

/**
 * Sends the parts, each of which is read once the client has taken most of those before it. Destroys the stream if the
 * client hardly reads.
 */
export function streamBody(parts: Parts, { highWaterMark, requirePermitted }: StreamOptions = {}): Readable {
  const progress: Progress = { bytes: 0, isReading: false };
  const read = readParts(parts, progress, requirePermitted);
  const stream = Readable.from(read, { objectMode: false, highWaterMark });
  const timer = setInterval(() => {
    const isLate = progress.bytes < leastProgressBytes && !progress.isReading;
    if (isLate) stream.destroy(new Error('the client reads too slowly'));
    progress.bytes = 0;
  }, progressIntervalMs);
  return stream.once('close', () => {
    clearInterval(timer);
    // If the stream ends before anything was read, nothing else ends the parts.
    void parts.return(undefined);
  });
}

async function* readParts(parts: Parts, progress: Progress, requirePermitted: StreamOptions['requirePermitted']) {
  progress.isReading = true;
  for await (const part of parts) {
    await requirePermitted?.();
    progress.bytes += part.length;
    progress.isReading = false;
    yield part;
    progress.isReading = true;
  }
}
