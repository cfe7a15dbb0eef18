/** app:// serves the built page with its security policy, and nothing from outside its folder. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';

vi.mock('electron', () => import('../../../electron/host/shim/electron.ts'));
const { respondFromFolder, pathInFolder } = await import('../../../electron/windows/app-protocol.ts');

let folder: string;

beforeEach(() => {
  const parent = temporaryFolder();
  folder = join(parent, 'renderer');
  mkdirSync(join(folder, 'assets'), { recursive: true });
  mkdirSync(join(parent, 'renderer-other'));
  writeFileSync(join(folder, 'index.html'), '<html>');
  writeFileSync(join(folder, 'assets/index.js'), 'code');
  writeFileSync(join(folder, 'notes.txt'), 'notes');
  writeFileSync(join(parent, 'secret.json'), 'secret');
  writeFileSync(join(parent, 'renderer-other/secret.js'), 'secret');
});

const get = (url: string, method = 'GET') => respondFromFolder(folder, method, url);

describe('app://', () => {
  it.each([
    ['app://latchkey/index.html', '<html>', 'text/html; charset=utf-8'],
    ['app://latchkey/', '<html>', 'text/html; charset=utf-8'],
    ['app://latchkey/assets/index.js?x#y', 'code', 'text/javascript; charset=utf-8'],
  ])('serves %s', async (url, body, contentType) => {
    const response = await get(url);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(contentType);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await response.text()).toBe(body);
  });

  it.each([
    'app://latchkey/../secret.json',
    'app://latchkey/%2e%2e/secret.json',
    'app://latchkey/..%2fsecret.json',
    'app://latchkey/assets/..%2f..%2fsecret.json',
    'app://latchkey/..%5csecret.json',
    'app://latchkey/%2fetc%2fhostname.json',
    'app://latchkey//etc/hostname.json',
    'app://latchkey/..%2frenderer-other%2fsecret.js',
    'app://latchkey/index.html%00.js',
    'app://latchkey/%E0%A4%A.js',
    'app://latchkey/assets',
    'app://latchkey/assets/',
    'app://latchkey/notes.txt',
    'app://latchkey/none.html',
    'app://other/index.html',
    'app://latchkey.example/index.html',
    'https://latchkey/index.html',
  ])('does not serve %s', async (url) => {
    const response = await get(url);
    expect(response.status).toBe(404);
    expect(await response.text()).not.toContain('secret');
  });

  it('allows only GET', async () => {
    expect((await get('app://latchkey/index.html', 'POST')).status).toBe(404);
  });

  it('resolves only to paths inside the folder', () => {
    expect(pathInFolder(folder, 'app://latchkey/assets/index.js')).toBe(join(folder, 'assets/index.js'));
    expect(pathInFolder(folder, 'app://latchkey/..%2fsecret.json')).toBeNull();
    // A separator on Windows.
    expect(pathInFolder(folder, 'app://latchkey/..%5csecret.json')).toBeNull();
  });

  it.skipIf(process.platform === 'win32')('does not follow a symbolic link out of the folder', async () => {
    symlinkSync(join(folder, '..', 'secret.json'), join(folder, 'link.json'));
    expect((await get('app://latchkey/link.json')).status).toBe(404);
  });
});
