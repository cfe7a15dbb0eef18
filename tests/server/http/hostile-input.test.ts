/** Whatever a client sends: the envelope with a fitting code, never a 500. */

import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/start-app.ts';

let service: TestApp;
beforeEach(async () => {
  service = await startTestApp();
});
afterEach(() => service.close());

const post = (payload: string | Buffer, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  service.app.inject({ method: 'POST', url: '/api/v1/auth/login', payload, headers });
const json = (payload: string) => ({ payload, headers: { 'content-type': 'application/json' } });

describe('a body', () => {
  it.each([
    ['nothing', ''],
    ['broken JSON', '{"email":'],
    ['an array', '[]'],
    ['null', 'null'],
    ['a number', '1e999'],
    ['a string', '"x"'],
    ['missing fields', '{}'],
    ['wrong types', '{"email":{},"password":[]}'],
    ['a prototype', '{"__proto__":{"email":"a@b.example","password":"x"}}'],
    ['a constructor', '{"constructor":{"prototype":{"email":"a"}}}'],
    ['deep nesting', '['.repeat(30_000) + ']'.repeat(30_000)],
    ['deep nesting in a field', `{"email":${'{"a":'.repeat(8000)}1${'}'.repeat(8000)}}`],
  ])('of %s is a VALIDATION_ERROR', async (_what, payload) => {
    const response = await post(payload);
    expect(response.statusCode, response.body).toBe(400);
    expect(response.json()).toEqual({ code: 'VALIDATION_ERROR', error: expect.stringMatching(/\.$/) });
  });

  it('that is not UTF-8 is a VALIDATION_ERROR', async () => {
    const payload = Buffer.concat([
      Buffer.from('{"email":"'),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('","password":"x"}'),
    ]);
    expect((await post(payload)).json().error).toBe('The body is not valid UTF-8. Encode it as UTF-8.');
  });

  it('with NUL, lone surrogates or huge numbers in it is answered like any other', async () => {
    for (const payload of [
      '{"email":"a\\u0000b@example.com","password":"\\u0000"}',
      '{"email":"\\ud800@example.com","password":"\\udfff"}',
      '{"email":"a@b.example","password":"x","more":1e400}',
      '{"email":"a@b.example","email":"c@d.example","password":"x"}',
    ]) {
      expect((await post(payload)).json().code).toBe('USER_NOT_FOUND');
    }
  });

  it('names the field that is wrong and what to send', async () => {
    expect((await post('{"email":"a@b.example"}')).json().error).toBe('password is required: send it as a string.');
    expect((await post('{"email":5,"password":"x"}')).json().error).toBe('email must be a string.');
    const signUp = { method: 'POST', url: '/api/v1/auth/signup' } as const;
    const tooLong = { email: 'a@b.example', password: 'violet tram', full_name: '🦊'.repeat(201) };
    expect((await service.app.inject({ ...signUp, payload: tooLong })).json().error).toBe(
      'full_name must have at most 200 characters.',
    );
    const unstorable = { ...tooLong, full_name: 'a\u0000b' };
    expect((await service.app.inject({ ...signUp, payload: unstorable })).statusCode).toBe(400);
  });

  it('larger than 64 KiB is PAYLOAD_TOO_LARGE, of exactly so much is read', async () => {
    const padded = (bytes: number) => `{"email":"a@b.example","password":"${'x'.repeat(bytes - 37)}"}`;
    expect(padded(65_536)).toHaveLength(65_536);
    expect((await post(padded(65_536))).statusCode).toBe(404);
    const response = await post(padded(65_537));
    expect(response.statusCode).toBe(413);
    expect(response.json().code).toBe('PAYLOAD_TOO_LARGE');
  });

  it.each([
    ['no content type', {}],
    ['text', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['something odd', { 'content-type': 'application/json-seq' }],
    ['no media type at all', { 'content-type': ';' }],
    ['compressed', { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
  ])('sent as %s is UNSUPPORTED_MEDIA_TYPE', async (_what, headers) => {
    const response = await post('{"email":"a@b.example","password":"x"}', headers as Record<string, string>);
    expect(response.statusCode, response.body).toBe(415);
    expect(response.json().code).toBe('UNSUPPORTED_MEDIA_TYPE');
  });

  it('may say its charset', async () => {
    const headers = { 'content-type': 'Application/JSON; charset=UTF-8' };
    expect((await post('{"email":"a@b.example","password":"x"}', headers)).statusCode).toBe(404);
  });
});

describe('an address', () => {
  it.each(['/nowhere', '/api/v1', '/api/v1/', '/api/v1/auth/login/', '/api/v2/auth/login', '//', '/api/v1/auth/LOGIN'])(
    '%s that is unknown is NOT_FOUND',
    async (url) => {
      const response = await service.app.inject({ method: 'POST', url, ...json('{}') });
      expect(response.statusCode).toBe(404);
      expect(response.json().code).toBe('NOT_FOUND');
    },
  );

  it.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE'] as const)(
    'that is asked with %s is METHOD_NOT_ALLOWED, with Allow',
    async (method) => {
      const response = await service.app.inject({ method: method as 'GET', url: '/api/v1/auth/login?x=1' });
      expect(response.statusCode).toBe(405);
      expect(response.headers.allow).toBe('POST');
    },
  );

  it('is told before the body is read', async () => {
    const broken = { payload: '{', headers: { 'content-type': 'text/odd' } };
    expect((await service.app.inject({ method: 'POST', url: '/nowhere', ...broken })).statusCode).toBe(404);
    expect((await service.app.inject({ method: 'PUT', url: '/api/v1/auth/login', ...broken })).statusCode).toBe(405);
  });

  it('with broken percent-encoding is a VALIDATION_ERROR, with the usual headers', async () => {
    const response = await service.app.inject('/api/v1/%zz');
    expect(response.statusCode).toBe(400);
    expect(response.json().code).toBe('VALIDATION_ERROR');
    expect(response.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
  });
});

describe('every answer', () => {
  it('carries the security headers and does not name the software', async () => {
    for (const url of ['/healthz', '/api/v1/auth/login', '/nowhere', '/readyz']) {
      const { headers } = await service.app.inject(url);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        'cache-control': 'no-store',
      });
      expect(headers).not.toHaveProperty('server');
      expect(headers).not.toHaveProperty('x-powered-by');
    }
  });
});

describe('raw bytes on the connection', () => {
  const send = async (bytes: string) => {
    if (!service.app.server.listening) await service.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = service.app.server.address() as AddressInfo;
    return new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
      socket.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      socket.on('close', () => resolve(text)).on('error', reject);
    });
  };

  it('that are not HTTP get a 400 with the envelope', async () => {
    const text = await send('hello\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('"code":"VALIDATION_ERROR"');
    expect(text).toContain('X-Content-Type-Options: nosniff');
  });

  it('without a Host get a 400 with the envelope, and those of HTTP/1.0 need none', async () => {
    const text = await send('GET /api/v1/binary-hash HTTP/1.1\r\nConnection: close\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('"code":"VALIDATION_ERROR"');
    expect(text).toContain('x-content-type-options: nosniff');
    expect(await send('GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('that expect what nobody knows get a 417 with the headers of every answer', async () => {
    const text = await send('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: a miracle\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 417 /);
    expect(text).toMatch(/x-content-type-options: nosniff/i);
    expect(text).toMatch(/content-security-policy: default-src 'none'/i);
  });

  it('with headers beyond all measure get a 431', async () => {
    const text = await send(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 431 /);
  });

  it('with a Content-Length that contradicts Transfer-Encoding are refused', async () => {
    const text = await send(
      'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}',
    );
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
  });
});
