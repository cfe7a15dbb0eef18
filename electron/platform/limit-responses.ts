/**
 * Aborts responses to electron-updater that are longer than signed or no longer needed, which it does not do itself.
 */
import type { Readable } from 'node:stream';
import type { ProviderRuntimeOptions } from 'electron-updater/out/providers/Provider.js';

type Executor = ProviderRuntimeOptions['executor'];

type ResponseLimits = {
  /** Size of the longest file that may be downloaded. */
  readonly bytes: number;
  /** Aborts when the download is given up. */
  readonly signal: AbortSignal;
};

/** Replaces earlier limits: electron-updater uses one executor for all requests. */
export function limitResponses(executor: Executor, { bytes, signal }: ResponseLimits): void {
  const { createRequest }: Executor = Object.getPrototypeOf(executor);
  const blockMapBytes = 64 * 1024 + bytes / 256;
  // Two block maps, the changed parts, and the whole file if that fails.
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
