/** `/updates/VERSION/FILE` as download managers use it: ranges, resumption, HEAD, and nothing but published files. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedHttpServer } from '../../harness/http-server.ts';
import { openSocket, sendRaw } from '../../harness/raw-request.ts';
import { madeUpContent, writeReleaseFile } from '../../harness/releases.ts';
import { envelope } from '../../harness/response-shapes.ts';
import { startTestApp } from '../../harness/start-app.ts';
import { temporaryFolder } from '../../harness/test-admin.ts';

const server = sharedHttpServer();
const content = Buffer.from(madeUpContent(300_000).toString('base64'));
const sha256 = createHash('sha256').update(content).digest('hex');
const name = 'Latchkey Setup 1.0.0.exe';
const path = `/updates/1.0.0/${encodeURIComponent(name)}`;

beforeAll(async () => {
  const file = writeReleaseFile(server.dataFolder, '1.0.0', name, content);
  const blockMap = writeReleaseFile(server.dataFolder, '1.0.0', `${name}.blockmap`, 'a block map');
  await server.admin('installer', 'publish', '1.0.0', '--windows-x64', file, '--feed', '--blockmap', blockMap);
});

const get = (headers: Record<string, string> = {}, method = 'GET') => server.request(method, path, { headers });
const slice = (start: number, end: number) => content.subarray(start, end + 1).toString();

describe('a file', () => {
  it('is sent whole, with its length, a strong ETag and support for ranges', async () => {
    const { status, headers, text } = await get();
    expect(status).toBe(200);
    expect(text === content.toString()).toBe(true);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-length': String(content.length),
      'content-type': 'application/octet-stream',
      'accept-ranges': 'bytes',
      etag: `"${sha256}"`,
    });
  });

  it('has its block map next to it', async () => {
    expect(await server.request('GET', `${path}.blockmap`)).toMatchObject({ status: 200, text: 'a block map' });
  });

  it('is described by HEAD, which ignores ranges', async () => {
    for (const range of ['', 'bytes=0-9']) {
      const response = await get({ range }, 'HEAD');
      expect([response.status, response.text]).toEqual([200, '']);
      expect(response.headers.get('content-length')).toBe(String(content.length));
      expect(response.headers.get('etag')).toBe(`"${sha256}"`);
      expect(response.headers.get('content-range')).toBeNull();
    }
  });

  it('is not sent again to a client that has it', async () => {
    for (const known of [`"${sha256}"`, `"other", W/"${sha256}"`, '*']) {
      const { status, headers, text } = await get({ 'if-none-match': known });
      expect([status, text, headers.get('etag')]).toEqual([304, '', `"${sha256}"`]);
    }
    expect((await get({ 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('rejects all other methods', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const { status, headers, body } = await get({}, method);
      expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
      expect(body).toStrictEqual(envelope('METHOD_NOT_ALLOWED'));
    }
  });
});

describe('a part of a file', () => {
  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=1000-1999', 1000, 1999],
    [`bytes=${content.length - 5}-`, content.length - 5, content.length - 1],
    ['bytes=-7', content.length - 7, content.length - 1],
    [`bytes=-${content.length + 1}`, 0, content.length - 1],
    ['bytes=200000-99999999', 200_000, content.length - 1],
  ])('is sent for %s', async (range, start, end) => {
    const { status, headers, text } = await get({ range });
    expect([status, headers.get('content-range')]).toEqual([206, `bytes ${start}-${end}/${content.length}`]);
    expect(headers.get('content-length')).toBe(String(end - start + 1));
    expect(text === slice(start, end)).toBe(true);
  });

  it('is refused if the file ends before it', async () => {
    const { status, headers, body } = await get({ range: `bytes=${content.length}-` });
    expect([status, headers.get('content-range')]).toEqual([416, `bytes */${content.length}`]);
    expect(body).toStrictEqual(envelope('RANGE_NOT_SATISFIABLE'));
  });

  it('is the whole file for an invalid header', async () => {
    for (const range of ['bytes=5-4', 'bytes=x', 'items=0-1', 'bytes=0-,0-']) {
      expect((await get({ range })).status).toBe(200);
    }
  });

  it('continues a download only if the file is unchanged', async () => {
    const range = 'bytes=10-19';
    expect((await get({ range, 'if-range': `"${sha256}"` })).text).toBe(slice(10, 19));
    for (const other of ['"other"', `W/"${sha256}"`, new Date().toUTCString()]) {
      expect((await get({ range, 'if-range': other })).status).toBe(200);
    }
  });

  it('is sent with other parts in one response', async () => {
    const { status, headers, text } = await get({ range: 'bytes=0-1, 5-9, -2' });
    expect(status).toBe(206);
    const boundary = /^multipart\/byteranges; boundary=(\w+)$/.exec(headers.get('content-type') ?? '')?.[1];
    const part = (start: number, end: number) =>
      `--${boundary}\r\nContent-Type: application/octet-stream\r\nContent-Range: bytes ${start}-${end}/${content.length}\r\n\r\n${slice(start, end)}\r\n`;
    const last = content.length - 1;
    expect(text).toBe(`${part(0, 1)}${part(5, 9)}${part(last - 1, last)}--${boundary}--\r\n`);
    expect(headers.get('content-length')).toBe(String(text.length));
  });
});

it('requests of a client that does not read the responses are served one file at a time', async () => {
  const large = 'Latchkey-1.0.0.dmg';
  const file = writeReleaseFile(server.dataFolder, '1.0.0', large, Buffer.alloc(16 * 1024 * 1024));
  await server.admin('installer', 'publish', '1.0.0', '--macos-arm64', file, '--feed');
  const descriptors = () => readdirSync(`/proc/${server.process.process.pid}/fd`).length;
  const before = descriptors();
  const socket = await openSocket(server.url);
  socket.write(`GET /updates/1.0.0/${large} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(40));
  await once(socket, 'readable');
  // A response to another client shows that the earlier requests have been handled.
  await get({}, 'HEAD');
  // The connection, its file, and what another client has open in the meantime.
  expect(descriptors() - before).toBeLessThan(10);
  socket.destroy();
});

describe('only published files are served', () => {
  it.each([
    '/updates/1.0.0/other.exe',
    '/updates/2.0.0/Latchkey%20Setup%201.0.0.exe',
    '/updates/1.0.0/../../secrets.json',
    '/updates/../secrets.json',
    '/updates/%2e%2e/secrets.json',
    '/updates/..%2fsecrets.json/x',
    '/updates/1.0.0/..%2f..%2fsecrets.json',
    '/updates/1.0.0/%2e%2e%2f%2e%2e%2fsecrets.json',
    '/updates/1.0.0/..%5c..%5csecrets.json',
    '/updates/..%2f..%2f/etc%2fpasswd',
    '/updates//etc/passwd',
    '/updates/1.0.0/%00',
    '/updates/1.0.0/.',
    `/updates/1.0.0/${sha256}`,
    `/updates/${sha256}`,
    '/updates/',
    '/updates',
    '/updates/latest.yaml',
    '/updates/LATEST.YML',
    `/updates/1.0.0/${'a'.repeat(500)}`,
  ])('%s is not found', async (target) => {
    for (const method of ['GET', 'HEAD']) {
      const { status, text } = await sendRaw(
        server.url,
        `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      );
      expect(status).toBe(404);
      if (method === 'GET') expect(JSON.parse(text)).toStrictEqual(envelope('NOT_FOUND'));
    }
  });

  it('a file that was replaced by a link, truncated or removed is not sent', async () => {
    const folder = join(server.dataFolder, 'updates');
    const [stored, aside] = [join(folder, sha256), join(folder, '..', 'aside')];
    renameSync(stored, aside);
    symlinkSync(aside, stored);
    expect(await get()).toMatchObject({ status: 404, body: envelope('NOT_FOUND') });
    rmSync(stored);
    expect((await get({ range: 'bytes=0-1' })).status).toBe(404);
    writeFileSync(stored, content);
    truncateSync(stored, 100);
    expect((await get({}, 'HEAD')).status).toBe(404);
    renameSync(aside, stored);
    expect((await get()).status).toBe(200);
  });

  it('a row of the database cannot name the secrets, or any other file outside of the folder', async () => {
    const app = await startTestApp();
    const { secretsFile } = app.config;
    mkdirSync(join(app.dataFolder, 'updates'));
    await app.database.write(async (transaction) => {
      const times = { released_at_ms: 0, published_at_ms: 0 };
      const version = { version: '1.0.0', percent: 100, manifest: null, ...times };
      await transaction.insertInto('update_versions').values(version).execute();
      const hashes = { sha256: `../${basename(secretsFile)}`, sha512: '' };
      const file = { name: 'a.exe', kind: 'windows_x64', block_map_bytes: null } as const;
      const bytes = statSync(secretsFile).size;
      await transaction
        .insertInto('update_files')
        .values({ version: '1.0.0', ...hashes, ...file, bytes })
        .execute();
    });
    expect((await app.request('GET', '/updates/latest.yml')).status).toBe(404);
    const { status, text } = await app.request('GET', '/updates/1.0.0/a.exe');
    expect(text).not.toContain(readFileSync(secretsFile, 'utf8').slice(0, 20));
    expect(status).toBe(404);
  });

  it('the folder has one file for each published one, which other users cannot read', () => {
    expect(readdirSync(join(server.dataFolder, 'updates'))).toHaveLength(3);
  });
});

describe('the rate limit', () => {
  it('counts whole files, including as ranges, and refusals, but not small parts', async () => {
    const limited = await startTestApp({ LATCHKEY_RATE_DEFAULT: '6' });
    const file = writeReleaseFile(temporaryFolder(), '1.0.0', 'a.exe', 'installer');
    await limited.admin('installer', 'publish', '1.0.0', '--windows-x64', file, '--feed');
    const ask = async (headers: Record<string, string>, at = '/updates/1.0.0/a.exe') =>
      (await limited.request('GET', at, { headers })).status;
    for (let part = 0; part < 8; part++) expect(await ask({ range: `bytes=${part}-${part}` })).toBe(206);
    expect([await ask({}), await ask({ range: 'bytes=99-' }), await ask({}, '/updates/1.0.0/b.exe')]).toEqual([
      200, 416, 404,
    ]);
    expect([await ask({ range: 'bytes=0-' }), await ask({ range: 'bytes=0-0,2-2' })]).toEqual([206, 206]);
    expect(await ask({}, '/updates/1.0.0/%00')).toBe(404);
    expect(await ask({})).toBe(429);
    expect(await ask({ range: 'bytes=0-,0-' })).toBe(429);
    expect(await ask({ range: 'bytes=0-1' })).toBe(206);
    expect(await ask({}, '/updates/latest.yml')).toBe(200);
  });
});
