/** Sends a file to an endpoint that takes one and reports upload progress, which `fetch` does not. */
import type { AdminEndpointName, AdminResponseOf } from '../../../shared/api/admin-endpoints.ts';
import { fail, type Result } from '../../../shared/ipc/result.ts';
import { failureNow } from '../../run-command.ts';
import { readResponse, redirected } from '../../send-request.ts';
import { methodOf, urlOf } from './admin-calls.ts';

type SendFileOptions = {
  readonly file: Blob;
  /** SHA-256 of the file, in hex. */
  readonly sha256: string;
  readonly signal: AbortSignal;
  readonly onProgress: (sentBytes: number) => void;
};

/** The upload is aborted if no data moves for this long. */
const stalledMs = 60_000;

/**
 * Sends the file. Never throws: a call without a response is SERVER_UNREACHABLE, one aborted through `signal` is
 * CANCELED, and UPLOAD_TOO_LARGE means a size limit, usually that of a proxy in front of the server.
 */
export function sendFile<N extends AdminEndpointName>(
  name: N,
  { file, sha256, signal, onProgress }: SendFileOptions,
): Promise<Result<AdminResponseOf<N>>> {
  const request = new XMLHttpRequest();
  return new Promise((resolve) => {
    const abort = () => request.abort();
    const stalled = createDeadline(stalledMs, abort);
    const give = (result: Result<AdminResponseOf<N>> | Promise<Result<AdminResponseOf<N>>>) => {
      stalled.clear();
      signal.removeEventListener('abort', abort);
      resolve(result);
    };
    const giveUp = () => {
      const code = signal.aborted ? 'CANCELED' : 'SERVER_UNREACHABLE';
      give(fail(failureNow(code, 'The file was not sent.')));
    };
    request.upload.addEventListener('progress', ({ loaded }) => {
      stalled.extend();
      onProgress(Math.min(loaded, file.size));
    });
    request.addEventListener('load', () => give(readSent(request, urlOf(name))));
    request.addEventListener('error', giveUp);
    request.addEventListener('abort', giveUp);
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', abort);
    request.open(methodOf(name), urlOf(name));
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.setRequestHeader('x-sha256', sha256);
    request.send(file);
    stalled.extend();
  });
}

async function readSent<T>(request: XMLHttpRequest, url: string): Promise<Result<T>> {
  // XMLHttpRequest follows a redirect within the site, without the file.
  if (request.responseURL !== new URL(url, document.baseURI).href) return fail(redirected(request.status));
  if (request.status === 413) return fail(failureNow('UPLOAD_TOO_LARGE', 'HTTP 413'));
  return readResponse<T>(toResponse(request));
}

function toResponse(request: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const name of ['retry-after', 'x-request-id']) {
    const value = request.getResponseHeader(name);
    if (value !== null) headers.set(name, value);
  }
  return new Response(request.responseText, { status: request.status, headers });
}

function createDeadline(ms: number, onExpired: () => void) {
  let timer: number | undefined;
  const clear = () => window.clearTimeout(timer);
  const extend = () => {
    clear();
    timer = window.setTimeout(onExpired, ms);
  };
  return { clear, extend };
}
