/** Serves the built page under app://latchkey/, and nothing from outside its folder. */
import { readFile, realpath } from 'node:fs/promises';
import { extname, resolve, sep } from 'node:path';
import { protocol } from 'electron';
import type { Log } from '../licensing/platform.ts';
import { contentSecurityPolicy } from './page-security.ts';

export const appOrigin = 'app://latchkey';
export const appPage = `${appOrigin}/index.html`;

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** Makes app:// a secure, standard scheme. Must be called before Electron is ready. */
export function allowAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);
}

/**
 * Handles app:// with the files in a folder. Refused requests are logged without the path, which may contain a secret.
 */
export function serveApp(folder: string, log: Log): void {
  protocol.handle('app', async ({ method, url }) => {
    const response = await respondFromFolder(folder, method, url);
    if (response.status === 404) log.warn('a file was asked for that the page does not have');
    return response;
  });
}

/** Returns the response to a request: a file in the folder if its type is known, otherwise 404. */
export async function respondFromFolder(folder: string, method: string, url: string): Promise<Response> {
  const path = pathInFolder(folder, url);
  const contentType = path && contentTypes[extname(path)];
  if (!path || !contentType || method !== 'GET')
    return new Response('Not found', { status: 404, headers: headersFor() });
  try {
    const [file, root] = await Promise.all([realpath(path), realpath(folder)]);
    // A symbolic link may lead out of the folder.
    if (file.startsWith(root + sep)) return new Response(await readFile(file), { headers: headersFor(contentType) });
  } catch {
    // A file that does not exist or cannot be read also gives 404.
  }
  return new Response('Not found', { status: 404, headers: headersFor() });
}

/** Returns the path of the file that a URL names, or `null` if it is outside the folder or has another origin. */
export function pathInFolder(folder: string, url: string): string | null {
  const { host, protocol: scheme, pathname } = new URL(url);
  if (`${scheme}//${host}` !== appOrigin) return null;
  const name = decode(pathname);
  if (name === null || name.includes('\0') || name.includes('\\')) return null;
  const path = resolve(folder, `.${name === '/' ? '/index.html' : name}`);
  return path.startsWith(resolve(folder) + sep) ? path : null;
}

function decode(pathname: string): string | null {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return null;
  }
}

function headersFor(contentType = 'text/plain'): Record<string, string> {
  return {
    'content-type': contentType,
    'content-security-policy': contentSecurityPolicy,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
    'referrer-policy': 'no-referrer',
  };
}
