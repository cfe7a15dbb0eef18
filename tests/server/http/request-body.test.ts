/** Request bodies: JSON, small, well formed and of the right types; anything else gets one of a few errors. */
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { apiRoot, type Endpoint, endpoints } from '../../../shared/api/endpoints.ts';
import { sharedHttpServer } from '../../harness/http-server.ts';
import { openSocket, parseResponse, readToEnd, sendRawToRoute } from '../../harness/raw-request.ts';
import { envelope } from '../../harness/response-shapes.ts';
import { signUp, type User } from '../../harness/users.ts';

const server = sharedHttpServer();
let user: User;

beforeAll(async () => {
  user = await signUp(server);
});

const login = `${apiRoot}/auth/login`;
const table: readonly Endpoint[] = Object.values(endpoints);
const pathsWithBody = table.filter(({ request }) => request).map(({ path }) => apiRoot + path);
const goodLogin = JSON.stringify({ email: 'nobody@example.com', password: 'x' });

function post(path: string, body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}) {
  // Some requests are only accepted from a page of the server.
  const sameOrigin = { 'sec-fetch-site': 'same-origin' };
  return server.request('POST', path, { token: user.token, body, headers: { ...sameOrigin, ...headers } });
}

/** Builds a raw request with its own headers, so that no HTTP client corrects anything. */
function rawPost(path: string, headers: readonly string[], body: string | Uint8Array = ''): Uint8Array {
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: x',
    'Sec-Fetch-Site: same-origin',
    `Authorization: Bearer ${user.token}`,
    'Connection: close',
    ...headers,
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), Buffer.from(body)]);
}

describe.each(pathsWithBody)('%s', (path) => {
  // Another endpoint may have ended the session.
  beforeAll(async () => {
    user = await signUp(server);
  });

  it.each([
    '{',
    '{"a":1',
    '{"a":1}}',
    "{'a':1}",
    'undefined',
    'NaN',
    '{"a":1,}',
    '{"a":"\n"}',
    '\u0000',
    '{}{}',
    '// {}',
  ])('rejects %j, which is not JSON', async (text) => {
    const { status, body } = await post(path, text);
    expect(status).toBe(400);
    expect(body).toStrictEqual(envelope('VALIDATION_ERROR'));
  });

  it.each(['null', '[]', '"text"', '1', '1e999', 'true', '[{}]'])(
    'rejects %s, which is not an object',
    async (text) => {
      const { status, body } = await post(path, text);
      expect(status).toBe(400);
      expect(body).toStrictEqual(envelope('VALIDATION_ERROR'));
    },
  );

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'text/json',
    'application/jsonp',
    'application/json-seq',
    ';',
    'application/octet-stream',
    'rubbish',
  ])('rejects the media type %s', async (type) => {
    const { status, body } = await post(path, '{}', { 'content-type': type });
    expect(status).toBe(415);
    expect(body).toStrictEqual(envelope('UNSUPPORTED_MEDIA_TYPE'));
  });

  it('rejects a body without a media type', async () => {
    const { status, text } = await sendRawToRoute(server.url, path, rawPost(path, ['Content-Length: 2'], '{}'));
    expect(status).toBe(415);
    expect(JSON.parse(text)).toStrictEqual(envelope('UNSUPPORTED_MEDIA_TYPE'));
  });

  it('rejects more than 64 KiB', async () => {
    const { status, body } = await post(path, `{"a":"${'x'.repeat(64 * 1024)}"}`);
    expect(status).toBe(413);
    expect(body).toStrictEqual(envelope('PAYLOAD_TOO_LARGE'));
  });

  it('rejects bytes that are not UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from('{"email":"'), Buffer.from([0xff, 0xfe, 0xc3, 0x28]), Buffer.from('"}')]);
    const { status, body } = await post(path, bytes);
    expect(status).toBe(400);
    expect(body).toStrictEqual(envelope('VALIDATION_ERROR'));
  });

  it('rejects JSON in UTF-16', async () => {
    const { status, body } = await post(path, Buffer.from('\ufeff{"email":"a","password":"b"}', 'utf16le'));
    expect(status).toBe(400);
    expect(body).toStrictEqual(envelope('VALIDATION_ERROR'));
  });

  it.each([
    ['objects', '{"a":', '1', '}', 9_000],
    ['arrays', '[', '', ']', 30_000],
  ])('rejects %s that are thousands of levels deep', async (_, open, inner, close, depth) => {
    const { status } = await post(path, open.repeat(depth) + inner + close.repeat(depth));
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  });
});

describe('a body', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'APPLICATION/JSON',
    'Application/Json ; Charset="utf-8"',
  ])('may be declared as %s', async (type) => {
    expect((await post(login, goodLogin, { 'content-type': type })).body).toStrictEqual(envelope('USER_NOT_FOUND'));
  });

  it('of exactly 64 KiB is accepted, and with one more byte gets PAYLOAD_TOO_LARGE', async () => {
    const withLength = (length: number) => {
      const start = `${goodLogin.slice(0, -1)},"more":"`;
      return `${start}${'x'.repeat(length - start.length - 2)}"}`;
    };
    expect(withLength(65_536)).toHaveLength(65_536);
    expect((await post(login, withLength(65_536))).body).toStrictEqual(envelope('USER_NOT_FOUND'));
    expect((await post(login, withLength(65_537))).body).toStrictEqual(envelope('PAYLOAD_TOO_LARGE'));
  });

  it.each([
    '{"email":"a\\u0000b@example.com","password":"\\u0000"}',
    '{"email":"\\ud800@example.com","password":"\\udfff"}',
    '{"email":"a@b.example","password":"x","more":1e400}',
    '{"email":"a@b.example","email":"c@d.example","password":"x"}',
  ])('with unusual but valid JSON is read like any other: %s', async (text) => {
    expect((await post(login, text)).body).toStrictEqual(envelope('USER_NOT_FOUND'));
  });

  it.each([
    ['{"email":"a@b.example"}', 'password is required: send it as a string.'],
    ['{"email":5,"password":"x"}', 'email must be a string.'],
  ])('%s gets an error that names the field and says what to send', async (text, error) => {
    expect((await post(login, text)).body).toStrictEqual({ error, code: 'VALIDATION_ERROR' });
  });

  it('with a field that is too long gets an error that says how long it may be', async () => {
    const body = { email: 'a@b.example', password: 'violet tram', full_name: '🦊'.repeat(201) };
    const error = 'full_name must have at most 200 characters.';
    expect((await server.call('signup', { body })).body).toStrictEqual({ error, code: 'VALIDATION_ERROR' });
    expect((await server.call('signup', { body: { ...body, full_name: 'a\u0000b' } })).status).toBe(400);
  });

  it('that is not UTF-8 gets an error that says so', async () => {
    const bytes = Buffer.concat([Buffer.from('{"email":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]);
    expect((await post(login, bytes)).body.error).toBe('The body is not valid UTF-8. Encode it as UTF-8.');
  });

  it('may have white space around it', async () => {
    expect((await post(login, ` \r\n\t${goodLogin}\n`)).body).toStrictEqual(envelope('USER_NOT_FOUND'));
  });

  it('may have fields named like the properties of every object', async () => {
    const text = '{"email":"nobody@example.com","password":"x","toString":1,"hasOwnProperty":null,"__proto__":{"a":1}}';
    expect((await post(login, text)).status).toBeLessThan(500);
  });

  it('does not take its required fields from a prototype', async () => {
    const fields = '{"email":"nobody@example.com","password":"x"}';
    for (const text of [`{"__proto__":${fields}}`, `{"constructor":{"prototype":${fields}}}`]) {
      const { status, body } = await post(login, text);
      expect(status).toBe(400);
      expect(body).toStrictEqual(envelope('VALIDATION_ERROR'));
    }
  });

  it('sent in chunks is accepted', async () => {
    const chunks = `${goodLogin.length.toString(16)}\r\n${goodLogin}\r\n0\r\n\r\n`;
    const request = rawPost(login, ['Content-Type: application/json', 'Transfer-Encoding: chunked'], chunks);
    expect((await sendRawToRoute(server.url, login, request)).status).toBe(404);
  });

  it('sent in chunks is also rejected beyond 64 KiB', async () => {
    const chunk = 'x'.repeat(32 * 1024);
    const chunks = `${`8000\r\n${chunk}\r\n`.repeat(3)}0\r\n\r\n`;
    const request = rawPost(login, ['Content-Type: application/json', 'Transfer-Encoding: chunked'], chunks);
    const { status, text } = await sendRawToRoute(server.url, login, request);
    expect(status).toBe(413);
    expect(JSON.parse(text)).toStrictEqual(envelope('PAYLOAD_TOO_LARGE'));
  });

  it('that announces a gigabyte is rejected before it is sent', async () => {
    const request = rawPost(login, ['Content-Type: application/json', 'Content-Length: 1073741824']);
    expect((await sendRawToRoute(server.url, login, request)).status).toBe(413);
  });

  it.each([
    ['longer than the limit', ['Content-Type: application/json', 'Content-Length: 100000'], 413],
    ['compressed', ['Content-Type: application/json', 'Content-Encoding: gzip', 'Content-Length: 100000'], 415],
  ])(
    'that is %s does not end the connection while it is sent, so that a proxy gets the response',
    async (_what, headers, status) => {
      const socket = await openSocket(server.url);
      const read = readToEnd(socket);
      const lines = [`POST ${login} HTTP/1.1`, 'Host: x', ...headers];
      socket.write(`${lines.join('\r\n')}\r\n\r\n`);
      await once(socket, 'data');
      socket.write('x'.repeat(100_000));
      socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      const statuses = [...(await read).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, one]) => Number(one));
      expect(statuses).toEqual([status, 200]);
    },
  );

  it('that is refused and never ends does not keep its connection open', async () => {
    const socket = await openSocket(server.url);
    const lines = [`POST ${login} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', 'Content-Length: 100000'];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    expect(parseResponse(await readToEnd(socket)).status).toBe(413);
  });

  it('that is compressed is rejected without being decompressed', async () => {
    const { status, body } = await post(login, gzipSync(goodLogin), { 'content-encoding': 'gzip' });
    expect(status).toBe(415);
    expect(body).toStrictEqual(envelope('UNSUPPORTED_MEDIA_TYPE'));
  });

  it.each(['login', 'refresh', 'signup', 'logout', 'validateLicense', 'activateLicense', 'heartbeat'] as const)(
    'that is missing gets VALIDATION_ERROR: %s',
    async (name) => {
      const { status, body } = await server.call(name, { token: user.token });
      expect(status).toBe(400);
      expect(body).toStrictEqual(envelope('VALIDATION_ERROR'));
    },
  );

  it('on a GET is handled', async () => {
    const headers = ['Content-Type: application/json', 'Content-Length: 2'];
    const path = `${apiRoot}/subscription/status`;
    const request = Buffer.from(
      Buffer.from(rawPost(path, headers, '{}'))
        .toString()
        .replace('POST', 'GET'),
    );
    expect((await sendRawToRoute(server.url, path, request)).status).toBeLessThan(500);
  });
});
