/** Sends an event over HTTP, in one attempt with a time limit that never follows a redirect. */
import { request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { addAbortSignal } from 'node:stream';
import type { AttemptResult } from './delivery.rules.ts';
import { lookupPublic, requirePublicHost } from './public-address.ts';

/** Time limit from the name lookup to the status of the response, in ms. */
const timeoutMs = 10_000;

/** How much of a response is read, and for how long, so that the receiver can finish it. Its content is not used. */
const maxResponseBytes = 64 * 1024;
const maxResponseMs = 1000;

const maxMessageLength = 300;

type Sending = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Aborts the attempt early. */
  readonly signal: AbortSignal;
};

export type SendEvent = (sending: Sending) => Promise<AttemptResult>;

/** Creates the sender. With `allowPrivate`, events may also go to addresses that are not public. */
export function createSender(allowPrivate: boolean): SendEvent {
  return async (sending) => {
    const url = new URL(sending.url);
    try {
      if (!allowPrivate) requirePublicHost(url);
      return { kind: 'response', status: await post(url, sending, allowPrivate) };
    } catch (error) {
      return { kind: 'error', message: describe(error).slice(0, maxMessageLength) };
    }
  };
}

function post(url: URL, { headers, body, signal }: Sending, allowPrivate: boolean): Promise<number> {
  const options: RequestOptions = {
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    agent: false,
    signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), signal]),
    ...(!allowPrivate && { lookup: lookupPublic }),
  };
  return new Promise((resolve, reject) => {
    let status: number | undefined;
    /** Settles only when the connection has closed, so that there are never more connections than attempts. */
    const settle = (error: Error) => (status === undefined ? reject(error) : resolve(status));
    const sent = url.protocol === 'https:' ? httpsRequest(url, options) : httpRequest(url, options);
    sent.on('error', settle);
    // A receiver that switches protocols sends no other response: without this the promise would never settle.
    sent.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response.statusCode ?? 0);
    });
    sent.on('close', () => settle(new Error('the connection was closed without a response')));
    sent.on('response', (response) => {
      status = response.statusCode ?? 0;
      addAbortSignal(AbortSignal.timeout(maxResponseMs), response);
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length > maxResponseBytes) response.destroy();
      });
      response.on('error', () => undefined);
    });
    sent.end(body);
  });
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'AbortError' && !(error.cause instanceof Error && error.cause.name === 'TimeoutError')) {
    return 'the server was stopped';
  }
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return `no response within ${timeoutMs / 1000} s`;
  // Several addresses were tried; the first error is reported.
  if (error instanceof AggregateError && error.errors.length > 0) return describe(error.errors[0]);
  return error.message;
}
