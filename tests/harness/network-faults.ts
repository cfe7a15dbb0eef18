/** What networks, proxies and overloaded servers do to a request. None of it is a response of the license server. */
import type { ServerResponse } from 'node:http';
import type { Exchange, Fault } from './fault-proxy.ts';

export type NetworkFault = {
  readonly name: string;
  /** A `stall` ends only through the client's deadline; a `wait` asks the client to come back later. */
  readonly kind: 'cut' | 'stall' | 'not-http' | 'page' | 'not-ours' | 'error' | 'redirect' | 'wait';
  readonly meet: Fault;
};

const page = '<!doctype html><title>Hotel</title><h1>Welcome</h1><form><input name="room"></form>';

/** Path that no request may reach: a redirect's target is not the server that the user has chosen. */
export const redirectedPath = '/elsewhere';

function answerWith(status: number, headers: Readonly<Record<string, string>>, body: string): Fault {
  return ({ response }) => void response.writeHead(status, headers).end(body);
}

const json = { 'content-type': 'application/json' };

const sendPage = (status: number) => answerWith(status, { 'content-type': 'text/html; charset=utf-8' }, page);

function sendEnvelope(status: number, code: string): Fault {
  return answerWith(status, json, JSON.stringify({ error: 'Something went wrong.', code }));
}

function askToWait(retryAfter: string): Fault {
  const envelope = JSON.stringify({ error: 'Too many requests.', code: 'RATE_LIMITED' });
  return answerWith(429, { ...json, 'retry-after': retryAfter }, envelope);
}

function redirect(status: number, host: string): Fault {
  return ({ incoming, response }) => {
    const { port } = new URL(`http://${incoming.headers.host}`);
    response.writeHead(status, { location: `http://${host}:${port}${redirectedPath}${incoming.url}` }).end();
  };
}

function sendRaw(bytes: string | Buffer): Fault {
  return ({ response }) => void response.socket?.end(bytes);
}

/** Sends whitespace endlessly, which is a valid beginning of JSON. */
function drip(response: ServerResponse): void {
  response.writeHead(200, json);
  const timer = setInterval(() => response.write(' '), 100);
  response.on('close', () => clearInterval(timer));
}

async function sendHalf({ response, deliver }: Exchange): Promise<void> {
  const { status, headers, body } = await deliver();
  response.writeHead(status, { ...headers, 'content-length': `${body.length + 10}` });
  response.write(body.subarray(0, body.length / 2), () => response.destroy());
}

export const networkFaults: readonly NetworkFault[] = [
  {
    name: 'cut after the server has done it',
    kind: 'cut',
    meet: ({ response, deliver }) => deliver().then(() => response.destroy()),
  },
  { name: 'cut before it is delivered', kind: 'cut', meet: ({ response }) => response.destroy() },
  { name: 'cut in the middle of the answer', kind: 'cut', meet: sendHalf },
  { name: 'a stall before it is delivered', kind: 'stall', meet: () => undefined },
  { name: 'a stall after the server has done it', kind: 'stall', meet: ({ deliver }) => deliver() },
  {
    name: 'a slow drip after the server has done it',
    kind: 'stall',
    meet: ({ response, deliver }) => deliver().then(() => drip(response)),
  },
  { name: 'garbage in place of HTTP', kind: 'not-http', meet: sendRaw(Buffer.from([0, 255, 22, 3, 1, 13, 10])) },
  { name: 'the greeting of a mail server', kind: 'not-http', meet: sendRaw('220 mail.example.org ESMTP ready\r\n') },
  { name: 'the page of a captive portal', kind: 'page', meet: sendPage(200) },
  { name: 'a page with status 403', kind: 'page', meet: sendPage(403) },
  { name: 'a page with status 407', kind: 'page', meet: sendPage(407) },
  { name: 'a page with status 502', kind: 'page', meet: sendPage(502) },
  { name: 'JSON of something else', kind: 'not-ours', meet: answerWith(200, json, '{"status":"ok"}') },
  { name: 'nothing with status 204', kind: 'not-ours', meet: answerWith(204, {}, '') },
  { name: 'an answer that is far too long', kind: 'not-ours', meet: answerWith(200, json, `"${'a'.repeat(2 ** 21)}"`) },
  { name: 'status 500 with the code of a refusal', kind: 'error', meet: sendEnvelope(500, 'INVALID_TOKEN') },
  { name: 'status 500 with an envelope', kind: 'error', meet: sendEnvelope(500, 'INTERNAL_ERROR') },
  { name: 'status 500 without an envelope', kind: 'error', meet: answerWith(500, {}, 'oops') },
  { name: 'a redirect to another host', kind: 'redirect', meet: redirect(308, 'localhost') },
  { name: 'a redirect to another path', kind: 'redirect', meet: redirect(302, '127.0.0.1') },
  {
    name: '429 with a date in the past',
    kind: 'wait',
    meet: askToWait('Tue, 03 Mar 2020 09:00:00 GMT'),
  },
  { name: '429 with a negative Retry-After', kind: 'wait', meet: askToWait('-5') },
  { name: '429 with a text as Retry-After', kind: 'wait', meet: askToWait('soon') },
  { name: '429 with a huge Retry-After', kind: 'wait', meet: askToWait('99999999999999999999') },
];

/** The first fault of each kind that needs no waiting, for tests in which all of them would take too long. */
export const oneOfEachKind = networkFaults.filter(
  ({ kind }, index) =>
    kind !== 'stall' && kind !== 'wait' && networkFaults.findIndex((each) => each.kind === kind) === index,
);
