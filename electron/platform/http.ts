/** HTTP by ofetch: no redirect followed, one deadline over the whole answer, and a body that cannot grow past its limit. */
import { ofetch } from 'ofetch';
import type { Http, HttpOutcome, HttpRequest } from '../licensing/platform.ts';

type Refusal = Extract<HttpOutcome, { ok: false }>['reason'];

/** Why a request was given up by us rather than by the network. */
class GivenUp extends Error {
  readonly reason: Refusal;
  constructor(reason: Refusal, message: string) {
    super(message);
    this.reason = reason;
  }
}

export const systemHttp: Http = { send };

async function send(request: HttpRequest): Promise<HttpOutcome> {
  const ending = new AbortController();
  const cancel = () => ending.abort(new GivenUp('canceled', 'The request was canceled.'));
  const late = () => ending.abort(new GivenUp('timeout', `No complete answer within ${request.timeoutMs} ms.`));
  if (request.signal?.aborted) cancel();
  request.signal?.addEventListener('abort', cancel, { once: true });
  const timer = setTimeout(late, request.timeoutMs);
  try {
    return { ok: true, answer: await exchange(request, ending.signal) };
  } catch (error) {
    ending.abort();
    return refusalFrom(ending.signal.reason instanceof GivenUp ? ending.signal.reason : error);
  } finally {
    clearTimeout(timer);
    request.signal?.removeEventListener('abort', cancel);
  }
}

async function exchange({ url, method, headers, body, maxAnswerBytes }: HttpRequest, signal: AbortSignal) {
  const response = await ofetch.raw(url, {
    method,
    headers: { ...headers },
    body,
    signal,
    redirect: 'manual',
    retry: 0,
    ignoreResponseError: true,
    responseType: 'stream',
    credentials: 'omit',
  });
  const text = await readCapped(response.body, maxAnswerBytes);
  return { status: response.status, headers: Object.fromEntries(response.headers), body: text };
}

async function readCapped(stream: ReadableStream<Uint8Array> | null, mostBytes: number): Promise<string> {
  if (stream === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) throw new GivenUp('too-large', `The answer is longer than ${mostBytes} bytes.`);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** The sentence names the cause and never the URL, whose query could hold what must not be logged. */
function refusalFrom(error: unknown): HttpOutcome {
  if (error instanceof GivenUp) return { ok: false, reason: error.reason, message: error.message };
  const code = causeCode(error);
  return { ok: false, reason: 'unreachable', message: code ?? 'The server did not answer.' };
}

function causeCode(error: unknown): string | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
  }
  return null;
}
