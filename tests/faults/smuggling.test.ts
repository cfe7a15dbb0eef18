/**
 * Row 11 of the matrix: requests that two programs could interpret differently, and too many headers. They are refused,
 * and the connection is closed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { sharedHttpServer } from '../harness/http-server.ts';
import { openSocket, readToEnd, sendRaw } from '../harness/raw-request.ts';
import { signUp } from '../harness/users.ts';
import { reportFigures } from './matrix-run.ts';

const row = 11;
const server = sharedHttpServer();

/** A second request, hidden in what one of two parsers treats as the body of the first. */
const hidden = 'GET /api/v1/about HTTP/1.1\r\nHost: hidden\r\n\r\n';
const post = (lines: readonly string[], body = '') =>
  ['POST /api/v1/auth/refresh HTTP/1.1', 'Host: x', 'Content-Type: application/json', ...lines, '', body].join('\r\n');
const chunked = `0\r\n\r\n${hidden}`;

/** Requests that a front-end with the other interpretation would forward. */
const ambiguous: readonly (readonly [string, string])[] = [
  ['a length and chunks', post(['Content-Length: 6', 'Transfer-Encoding: chunked'], chunked)],
  ['chunks and a length', post(['Transfer-Encoding: chunked', 'Content-Length: 6'], chunked)],
  ['two lengths', post(['Content-Length: 0', 'Content-Length: 40'], hidden)],
  ['a list of lengths', post(['Content-Length: 0, 40'], hidden)],
  ['a length with a sign', post(['Content-Length: +5'], '{"a":')],
  ['a negative length', post(['Content-Length: -1'], hidden)],
  ['a hexadecimal length', post(['Content-Length: 0x10'], hidden)],
  ['a length with a space in it', post(['Content-Length: 1 0'], hidden)],
  ['a huge length', post(['Content-Length: 99999999999999999999'], hidden)],
  ['chunks twice', post(['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], chunked)],
  ['chunks that are not last', post(['Transfer-Encoding: chunked, identity'], chunked)],
  ['unknown coding', post(['Transfer-Encoding: xchunked'], chunked)],
  ['a space before the colon', post(['Transfer-Encoding : chunked', 'Content-Length: 6'], chunked)],
  ['a space before the colon of the length', post(['Content-Length : 6'], chunked)],
  ['a folded header', post(['Transfer-Encoding:', ' chunked', 'Content-Length: 6'], chunked)],
  ['a vertical tab', post(['Transfer-Encoding: \u000bchunked', 'Content-Length: 6'], chunked)],
  ['a NUL in a header', post(['X-Any: a\u0000b', 'Content-Length: 0'])],
  ['a lone CR in a header', post(['X-Any: a\rTransfer-Encoding: chunked', 'Content-Length: 6'], chunked)],
  ['a lone LF after a header', post(['X-Any: a\nTransfer-Encoding: chunked', 'Content-Length: 6'], chunked)],
  ['a chunk size with a sign', post(['Transfer-Encoding: chunked'], `+0\r\n\r\n${hidden}`)],
  ['a chunk size with 0x', post(['Transfer-Encoding: chunked'], `0x2\r\n{}\r\n0\r\n\r\n${hidden}`)],
  [
    'a chunk size that overflows',
    post(['Transfer-Encoding: chunked'], `ffffffffffffffffff\r\n{}\r\n0\r\n\r\n${hidden}`),
  ],
  ['a chunk that is longer than it says', post(['Transfer-Encoding: chunked'], `2\r\n{}xx\r\n0\r\n\r\n${hidden}`)],
  ['chunks ended by a lone LF', post(['Transfer-Encoding: chunked'], `2\n{}\n0\n\n${hidden}`)],
  ['a header without a name', post([': x', 'Content-Length: 0'])],
  ['a header without a colon', post(['Nonsense', 'Content-Length: 0'])],
  ['a line of no header', 'GET /api/v1/about HTTP/1.1\r\nHost: x\r\nGET /x HTTP/1.1\r\n\r\n'],
  ['a header on the first line', `GET /api/v1/about HTTP/1.1 X: y\r\nHost: x\r\n\r\n${hidden}`],
  ['another version', `GET /api/v1/about HTTP/3.0\r\nHost: x\r\n\r\n${hidden}`],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
];

const tooMuch: readonly (readonly [string, string])[] = [
  ['20 kB in one header', `GET /api/v1/about HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`],
  ['20 kB in many headers', `GET /api/v1/about HTTP/1.1\r\nHost: x\r\n${'X-Some: xxxxxxxxxx\r\n'.repeat(1100)}\r\n`],
  ['20 kB of a path', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ['20 kB of a name of a header', `GET /api/v1/about HTTP/1.1\r\nHost: x\r\n${'x'.repeat(20_000)}: y\r\n\r\n`],
];

/** Returns the number of responses and the first one; the server must have closed the connection. */
async function send(bytes: string): Promise<{ responses: number; status: number; text: string }> {
  const socket = await openSocket(server.url);
  const received = readToEnd(socket);
  socket.write(bytes);
  const text = await Promise.race([received, sleep(20_000).then(() => 'the connection stays open')]);
  socket.destroy();
  return { responses: text.match(/^HTTP\/1\.1 /gm)?.length ?? 0, status: Number(text.split(' ')[1]), text };
}

describe('an ambiguous request', () => {
  it.each(ambiguous)('is refused, and what may be hidden in it gets no response: %s', async (_, bytes) => {
    const { responses, status, text } = await send(bytes);
    expect(text).not.toContain('HTTP/1.1 200');
    expect(text).not.toBe('the connection stays open');
    expect(responses).toBeLessThanOrEqual(1);
    if (responses === 1) expect(status).toBeGreaterThanOrEqual(400);
    if (responses === 1) expect(status).toBeLessThan(500);
    reportFigures(row, { amount: 'all forms', figures: { forms: ambiguous.length + tooMuch.length } });
  });

  it.each(tooMuch)('is refused if it is too long: %s', async (_, bytes) => {
    const { responses, status } = await send(bytes);
    expect(responses).toBe(1);
    expect([414, 431]).toContain(status);
  });

  it('with 1,500 headers is refused or read completely: no header is silently dropped', async () => {
    const headers = 'a:b\r\n'.repeat(1500);
    const token = (await signUp(server)).token;
    const request = `GET /api/v1/subscription/status HTTP/1.1\r\nHost: x\r\n${headers}Authorization: Bearer ${token}\r\nConnection: close\r\n\r\n`;
    const { status } = await sendRaw(server.url, request);
    expect([200, 431]).toContain(status);
    reportFigures(row, { amount: 'all forms', figures: { 'status with 1,500 headers': status } });
  });

  it('does not keep the server from answering the next one', async () => {
    expect((await server.call('about')).status).toBe(200);
  });
});
