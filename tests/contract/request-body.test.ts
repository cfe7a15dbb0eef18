/** What a request body may be: JSON, small, well formed, and of the right types; everything else is refused alike. */
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { apiRoot, type Endpoint, endpoints } from '../../shared/api/endpoints.ts';
import { sendRaw, sendRawToRoute } from '../harness/raw-request.ts';
import { envelope } from '../harness/response-shapes.ts';
import { startedService } from '../harness/use-server.ts';
import { newDeviceId, type Person, signUp } from '../harness/users.ts';

const service = startedService();
let person: Person;

beforeAll(async () => {
  person = await signUp(service);
});

const login = `${apiRoot}/auth/login`;
const table: readonly Endpoint[] = Object.values(endpoints);
const pathsWithBody = table.filter(({ request }) => request).map(({ path }) => apiRoot + path);
const goodLogin = JSON.stringify({ email: 'nobody@example.com', password: 'x' });

function post(path: string, body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}) {
  return service.request('POST', path, { token: person.token, body, headers });
}

/** A request line and headers of our own, so that nothing is corrected on the way. */
function rawPost(path: string, headers: readonly string[], body: string | Uint8Array = ''): Uint8Array {
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${person.token}`,
    'Connection: close',
    ...headers,
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), Buffer.from(body)]);
}

describe.each(pathsWithBody)('%s', (path) => {
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
  ])('refuses %j, which is no JSON', async (text) => {
    const { status, body } = await post(path, text);
    expect(status).toBe(400);
    expect(body).toStrictEqual(envelope('VALIDATION_ERROR'));
  });

  it.each(['null', '[]', '"text"', '1', 'true', '[{}]'])('refuses %s, which is no object', async (text) => {
    const { status, body } = await post(path, text);
    expect(status).toBe(400);
    expect(body).toStrictEqual(envelope('VALIDATION_ERROR'));
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'text/json',
    'application/jsonp',
    'application/octet-stream',
    'rubbish',
  ])('refuses the media type %s', async (type) => {
    const { status, body } = await post(path, '{}', { 'content-type': type });
    expect(status).toBe(415);
    expect(body).toStrictEqual(envelope('UNSUPPORTED_MEDIA_TYPE'));
  });

  it('refuses a body without a media type', async () => {
    const { status, text } = await sendRawToRoute(service.url, path, rawPost(path, ['Content-Length: 2'], '{}'));
    expect(status).toBe(415);
    expect(JSON.parse(text)).toStrictEqual(envelope('UNSUPPORTED_MEDIA_TYPE'));
  });

  it('refuses more than 64 KiB', async () => {
    const { status, body } = await post(path, `{"a":"${'x'.repeat(64 * 1024)}"}`);
    expect(status).toBe(413);
    expect(body).toStrictEqual(envelope('PAYLOAD_TOO_LARGE'));
  });

  it('refuses bytes that are no UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from('{"email":"'), Buffer.from([0xff, 0xfe, 0xc3, 0x28]), Buffer.from('"}')]);
    const { status, body } = await post(path, bytes);
    expect(status).toBe(400);
    expect(body).toStrictEqual(envelope('VALIDATION_ERROR'));
  });

  it('refuses JSON in UTF-16', async () => {
    const { status, body } = await post(path, Buffer.from('\ufeff{"email":"a","password":"b"}', 'utf16le'));
    expect(status).toBe(400);
    expect(body).toStrictEqual(envelope('VALIDATION_ERROR'));
  });

  it.each([
    ['objects', '{"a":', '1', '}'],
    ['arrays', '[', '', ']'],
  ])('survives %s that are thousands of levels deep', async (_, open, inner, close) => {
    const { status } = await post(path, open.repeat(9_000) + inner + close.repeat(9_000));
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
  ])('may be announced as %s', async (type) => {
    expect((await post(login, goodLogin, { 'content-type': type })).body).toStrictEqual(envelope('USER_NOT_FOUND'));
  });

  it('of just under 64 KiB is read', async () => {
    const padding = 'x'.repeat(64 * 1024 - goodLogin.length - 20);
    const text = `${goodLogin.slice(0, -1)},"more":"${padding}"}`;
    expect(text.length).toBeLessThanOrEqual(64 * 1024);
    expect((await post(login, text)).body).toStrictEqual(envelope('USER_NOT_FOUND'));
  });

  it('may have white space around it', async () => {
    expect((await post(login, ` \r\n\t${goodLogin}\n`)).body).toStrictEqual(envelope('USER_NOT_FOUND'));
  });

  it('may have a field twice: it is no reason to fail', async () => {
    const { status } = await post(login, '{"email":"a@example.com","email":"nobody@example.com","password":"x"}');
    expect(status).toBe(404);
  });

  it('may have fields with the names of things that every object has', async () => {
    const text = '{"email":"nobody@example.com","password":"x","toString":1,"hasOwnProperty":null,"__proto__":{"a":1}}';
    expect((await post(login, text)).status).toBeLessThan(500);
  });

  it('does not take its required fields from a prototype', async () => {
    const { status, body } = await post(login, '{"__proto__":{"email":"nobody@example.com","password":"x"}}');
    expect(status).toBe(400);
    expect(body).toStrictEqual(envelope('VALIDATION_ERROR'));
  });

  it('that comes in chunks is read', async () => {
    const chunks = `${goodLogin.length.toString(16)}\r\n${goodLogin}\r\n0\r\n\r\n`;
    const request = rawPost(login, ['Content-Type: application/json', 'Transfer-Encoding: chunked'], chunks);
    expect((await sendRawToRoute(service.url, login, request)).status).toBe(404);
  });

  it('that comes in chunks is refused past 64 KiB as well', async () => {
    const chunk = 'x'.repeat(32 * 1024);
    const chunks = `${`8000\r\n${chunk}\r\n`.repeat(3)}0\r\n\r\n`;
    const request = rawPost(login, ['Content-Type: application/json', 'Transfer-Encoding: chunked'], chunks);
    const { status, text } = await sendRawToRoute(service.url, login, request);
    expect(status).toBe(413);
    expect(JSON.parse(text)).toStrictEqual(envelope('PAYLOAD_TOO_LARGE'));
  });

  it('that announces a gigabyte is refused before it is sent', async () => {
    const request = rawPost(login, ['Content-Type: application/json', 'Content-Length: 1073741824']);
    expect((await sendRawToRoute(service.url, login, request)).status).toBe(413);
  });

  it('that is compressed is refused without being unpacked', async () => {
    const { status } = await post(login, gzipSync(goodLogin), { 'content-encoding': 'gzip' });
    expect([400, 415]).toContain(status);
  });

  it('with two lengths is refused by the parser', async () => {
    const request = rawPost(login, ['Content-Type: application/json', 'Content-Length: 2', 'Content-Length: 3'], '{}');
    expect((await sendRaw(service.url, request)).status).toBe(400);
  });

  it('with a length and chunks is refused by the parser', async () => {
    const headers = ['Content-Type: application/json', 'Content-Length: 2', 'Transfer-Encoding: chunked'];
    expect((await sendRaw(service.url, rawPost(login, headers, '0\r\n\r\n'))).status).toBe(400);
  });

  it.each(['login', 'refresh', 'signup', 'logout', 'validateLicense', 'activateLicense', 'heartbeat'] as const)(
    'that is missing is VALIDATION_ERROR: %s',
    async (name) => {
      const { status, body } = await service.call(name, { token: person.token });
      expect(status).toBe(400);
      expect(body).toStrictEqual(envelope('VALIDATION_ERROR'));
    },
  );

  it('on a GET is no reason to fail', async () => {
    const headers = ['Content-Type: application/json', 'Content-Length: 2'];
    const path = `${apiRoot}/subscription/status`;
    const request = Buffer.from(
      Buffer.from(rawPost(path, headers, '{}'))
        .toString()
        .replace('POST', 'GET'),
    );
    expect((await sendRawToRoute(service.url, path, request)).status).toBeLessThan(500);
  });

  it('with a device_id of an array that looks like one is refused', async () => {
    const body = { device_id: [newDeviceId()] };
    expect((await service.call('heartbeat', { token: person.token, body })).body).toStrictEqual(
      envelope('VALIDATION_ERROR'),
    );
  });
});
