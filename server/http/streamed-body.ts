/** A response body that is sent while it is read, for as long as its client reads. */
import { Readable } from 'node:stream';

/** How often it is checked that a client goes on reading, and how much it must have read meanwhile: 8 KiB a second. */
export const progressIntervalMs = 60_000;
const leastProgressBytes = 60 * 8 * 1024;

type Parts = AsyncGenerator<Buffer | string>;

/** Sends the parts, each of which is read once the client has taken most of those before. Destroyed if its client hardly reads. */
export function streamBody(parts: Parts, highWaterMark?: number): Readable {
  const progress = { bytes: 0 };
  const stream = Readable.from(count(parts, progress), { objectMode: false, highWaterMark });
  const timer = setInterval(() => {
    if (progress.bytes < leastProgressBytes) stream.destroy(new Error('the client reads too slowly'));
    progress.bytes = 0;
  }, progressIntervalMs);
  return stream.once('close', () => {
    clearInterval(timer);
    // Where it ends before anything was read, nothing else ends the parts.
    void parts.return(undefined);
  });
}

async function* count(parts: Parts, progress: { bytes: number }) {
  for await (const part of parts) {
    progress.bytes += part.length;
    yield part;
  }
}
