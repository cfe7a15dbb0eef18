/** Serves the window's own files under app://latchkey/, and nothing from outside their folder. */
import { readFile, realpath } from 'node:fs/promises';
import { extname, resolve, sep } from 'node:path';
import { protocol } from 'electron';
import { contentSecurityPolicy } from './content-security-policy.ts';

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

/** Makes app:// a secure origin of its own; Electron wants that before it is ready. */
export function allowAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);
}

/** Answers app:// from the folder of the built window. */
export function serveApp(folder: string): void {
  protocol.handle('app', (request) => answerFromFolder(folder, request.method, request.url));
}

/** The answer to one request: a file of the folder in a known type, else 404. */
export async function answerFromFolder(folder: string, method: string, url: string): Promise<Response> {
  const path = pathInFolder(folder, url);
  const contentType = path && contentTypes[extname(path)];
  if (!path || !contentType || method !== 'GET')
    return new Response('Not found', { status: 404, headers: headersFor() });
  try {
    const [file, root] = await Promise.all([realpath(path), realpath(folder)]);
    // A link that leads out of the folder is no file of the folder.
    if (file.startsWith(root + sep)) return new Response(await readFile(file), { headers: headersFor(contentType) });
  } catch {
    // A file that is not there or cannot be read is answered below.
  }
  return new Response('Not found', { status: 404, headers: headersFor() });
}

/** The file that a URL names, or `null` where it leaves the folder or is no URL of ours. */
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
