/** app:// gives the window's own files, with the policy, and nothing from outside their folder. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';

vi.mock('electron', () => import('../../../electron/host/stand-in/electron.ts'));
const { answerFromFolder, pathInFolder } = await import('../../../electron/windows/app-protocol.ts');

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

const get = (url: string, method = 'GET') => answerFromFolder(folder, method, url);

describe('app://', () => {
  it.each([
    ['app://latchkey/index.html', '<html>', 'text/html; charset=utf-8'],
    ['app://latchkey/', '<html>', 'text/html; charset=utf-8'],
    ['app://latchkey/assets/index.js?x#y', 'code', 'text/javascript; charset=utf-8'],
  ])('gives %s', async (url, body, contentType) => {
    const answer = await get(url);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe(contentType);
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await answer.text()).toBe(body);
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
  ])('does not give %s', async (url) => {
    const answer = await get(url);
    expect(answer.status).toBe(404);
    expect(await answer.text()).not.toContain('secret');
  });

  it('takes no other method', async () => {
    expect((await get('app://latchkey/index.html', 'POST')).status).toBe(404);
  });

  it('names a file of the folder only', () => {
    expect(pathInFolder(folder, 'app://latchkey/assets/index.js')).toBe(join(folder, 'assets/index.js'));
    expect(pathInFolder(folder, 'app://latchkey/..%2fsecret.json')).toBeNull();
  });

  it.skipIf(process.platform === 'win32')('follows no link out of the folder', async () => {
    symlinkSync(join(folder, '..', 'secret.json'), join(folder, 'link.json'));
    expect((await get('app://latchkey/link.json')).status).toBe(404);
  });
});
