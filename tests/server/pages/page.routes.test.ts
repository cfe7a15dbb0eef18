/** How the admin page and the account page are served: headers, assets, and unknown paths. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { fastify } from 'fastify';
import { describe, expect, it } from 'vitest';
import { sendError } from '../../../server/http/error-handler.ts';
import { readBuiltPages } from '../../../server/pages/built-pages.ts';
import { addPageRoutes } from '../../../server/pages/page.routes.ts';
import { startTestApp } from '../../harness/start-app.ts';
import { temporaryFolder } from '../../harness/test-admin.ts';

const script = `console.log(${JSON.stringify('x'.repeat(2000))})`;

function builtFolder(): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'admin.html'), '<!doctype html><script type="module" src="./assets/admin-1.js"></script>');
  writeFileSync(
    join(folder, 'account.html'),
    '<!doctype html><script type="module" src="./assets/account-1.js"></script>',
  );
  writeFileSync(join(folder, 'assets/admin-1.js'), script);
  writeFileSync(join(folder, 'assets/admin-1.css'), 'body{}');
  writeFileSync(join(folder, 'made-from'), 'a hash');
  return folder;
}

function serve(folder = builtFolder(), accountPage = true) {
  const app = fastify();
  app.setErrorHandler((error, request, reply) => void sendError(error, request, reply));
  addPageRoutes(app, readBuiltPages(folder), { accountPage });
  return app;
}

it.each([
  ['gzip', true],
  ['br, GZIP;q=0.5', true],
  ['*', true],
  ['gzip;q=0', false],
  ['identity', false],
  ['', false],
  [`${' '.repeat(600)}gzip`, false],
  [`gzip${' '.repeat(15_000)}x`, true],
])('an asset is compressed for a client that accepts %j: %s', async (codings, isCompressed) => {
  const response = await serve().inject({ url: '/assets/admin-1.js', headers: { 'accept-encoding': codings } });
  expect(response.headers['content-encoding']).toBe(isCompressed ? 'gzip' : undefined);
});

describe('the document', () => {
  it('allows no external or inline content, no eval and no framing, and is not stored', async () => {
    const server = await startTestApp();
    const { status, headers } = await server.request('GET', '/admin');
    const app = serve();
    const policy = String((await app.inject('/admin')).headers['content-security-policy']);
    expect(policy).not.toContain('unsafe-');
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
      ]),
    );
    expect([200, 404]).toContain(status);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('is at /admin, to which /admin/ redirects, also below a path', async () => {
    const app = serve();
    expect(await app.inject('/admin')).toMatchObject({
      statusCode: 200,
      payload: expect.stringContaining('admin-1.js'),
    });
    const { statusCode, headers } = await app.inject('/admin/');
    expect(statusCode).toBe(308);
    expect(new URL(String(headers.location), 'https://lab.example/licenses/admin/').pathname).toBe('/licenses/admin');
  });
});

describe('an asset', () => {
  it('is cached permanently, and not sent again to a client that has it', async () => {
    const app = serve();
    const { headers, payload } = await app.inject('/assets/admin-1.js');
    expect(payload).toBe(script);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
    const known = await app.inject({
      url: '/assets/admin-1.js',
      headers: { 'if-none-match': `W/"0", ${headers.etag}` },
    });
    expect([known.statusCode, known.payload]).toEqual([304, '']);
    const css = await app.inject({
      url: '/assets/admin-1.css',
      headers: { 'if-none-match': String(headers.etag) },
    });
    expect([css.statusCode, css.headers['content-type']]).toEqual([200, 'text/css; charset=utf-8']);
  });

  it.each([
    ['gzip, br', true],
    ['br;q=1.0, gzip;q=0.5', true],
    ['gzip;q=0', false],
    ['br', false],
    ['x-gzip-like', false],
  ])('is compressed for a client that accepts it: %s', async (encoding, isCompressed) => {
    const { headers, rawPayload } = await serve().inject({
      url: '/assets/admin-1.js',
      headers: { 'accept-encoding': encoding },
    });
    expect(headers['content-encoding']).toBe(isCompressed ? 'gzip' : undefined);
    expect((isCompressed ? gunzipSync(rawPayload) : rawPayload).toString()).toBe(script);
  });

  it.each(['made-from', '..%2fmade-from', '../../admin.html', 'admin-2.js', ''])('%s does not exist', async (name) => {
    expect((await serve().inject(`/assets/${name}`)).statusCode).toBe(404);
  });
});

it('a server without a built page says how to build it', async () => {
  const app = serve(temporaryFolder());
  const { statusCode, payload } = await app.inject('/admin');
  expect(statusCode).toBe(404);
  expect(JSON.parse(payload)).toEqual({ error: expect.stringContaining('npm run build'), code: 'NOT_FOUND' });
});
