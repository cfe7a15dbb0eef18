/** Ends a response to electron-updater that is longer than what was signed, or that nobody waits for: by itself it does not. */
import type { Readable } from 'node:stream';
import type { ProviderRuntimeOptions } from 'electron-updater/out/providers/Provider.js';

type Executor = ProviderRuntimeOptions['executor'];

export type ResponseLimits = {
  /** Of the longest file that may be downloaded. */
  readonly bytes: number;
  /** Aborted when the download was given up. */
  readonly signal: AbortSignal;
};

/** Takes the place of earlier limits: electron-updater has one executor for all that it sends. */
export function limitResponses(executor: Executor, { bytes, signal }: ResponseLimits): void {
  const { createRequest }: Executor = Object.getPrototypeOf(executor);
  const blockMapBytes = 64 * 1024 + bytes / 256;
  // Two block maps, the parts that have changed, and all of it where that fails.
  let allLeft = 3 * (bytes + blockMapBytes);
  executor.createRequest = (options: { readonly path: string }, callback) => {
    const request = createRequest.call(executor, options, (response: Readable) => {
      let left = options.path.endsWith('.blockmap') ? blockMapBytes : bytes;
      response.on('data', ({ length }: Buffer) => {
        left -= length;
        allLeft -= length;
        if (left >= 0 && allLeft >= 0 && !signal.aborted) return;
        response.destroy(new Error(signal.aborted ? 'canceled' : 'the feed sends more than was signed'));
        request.abort();
      });
      callback(response);
    });
    return request;
  };
}
