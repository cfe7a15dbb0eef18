/** HTTP requests with ofetch: no redirects, one deadline for the whole response, and a size limit. */
import { createFetch, type FetchResponse } from 'ofetch';
import type { Http, HttpRequest, HttpResult } from '../licensing/platform.ts';

type FailureReason = Extract<HttpResult, { ok: false }>['reason'];

/** The part of `fetch` that is used. With `redirect: 'manual'` it returns a redirect as a response. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A failure that the underlying network stack reports without a code. */
export class NetworkError extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** The request was ended by us, not by the network. */
class RequestAborted extends Error {
  readonly reason: FailureReason;
  constructor(reason: FailureReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The HTTP port over any implementation of `fetch`. */
export function createHttp(fetch: Fetch): Http {
  const ofetch = createFetch({ fetch: (input, init = {}) => fetch(String(input), init) });

  async function send(request: HttpRequest): Promise<HttpResult> {
    const controller = new AbortController();
    const cancel = () => controller.abort(new RequestAborted('canceled', 'The request was canceled.'));
    const expire = () => controller.abort(new RequestAborted('timeout', 'ETIMEDOUT'));
    if (request.signal?.aborted) cancel();
    request.signal?.addEventListener('abort', cancel, { once: true });
    const timer = setTimeout(expire, request.timeoutMs);
    try {
      return { ok: true, response: await exchange(request, controller.signal) };
    } catch (error) {
      controller.abort();
      return failureFrom(controller.signal.reason instanceof RequestAborted ? controller.signal.reason : error);
    } finally {
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', cancel);
    }
  }

  async function exchange({ url, method, headers, body, maxResponseBytes }: HttpRequest, signal: AbortSignal) {
    const response: FetchResponse<ReadableStream<Uint8Array>> = await ofetch.raw(url, {
      method,
      headers: { ...headers },
      body,
      signal,
      redirect: 'manual',
      retry: 0,
      ignoreResponseError: true,
      responseType: 'stream',
      credentials: 'omit',
      cache: 'no-store',
    });
    const text = await readLimited(response.body, maxResponseBytes);
    return { status: response.status, headers: Object.fromEntries(response.headers), body: text };
  }

  return { send };
}

async function readLimited(stream: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<string> {
  if (stream === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new RequestAborted('too-large', `The response is longer than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** The message names the cause but never the URL, which could contain a secret. */
function failureFrom(error: unknown): HttpResult {
  if (error instanceof RequestAborted) return { ok: false, reason: error.reason, message: error.message };
  const code = causeCode(error);
  return { ok: false, reason: 'unreachable', message: code ?? 'The server did not respond.' };
}

/** Returns the code of Node, OpenSSL or undici, or the one in Chromium's message: `net::ERR_NAME_NOT_RESOLVED`. */
function causeCode(error: unknown): string | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
    const [, chromiumCode] = /^net::(ERR_[A-Z_]+)/.exec(cause.message) ?? [];
    if (chromiumCode !== undefined) return chromiumCode;
  }
  return null;
}
