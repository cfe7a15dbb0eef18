/** Serves the built page at `app://sketcher`. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { protocol } from 'electron';

const types = new Map([
  ['/index.html', 'text/html'],
  ['/page.js', 'text/javascript'],
]);

/** Registers the scheme. Must be called before Electron is ready. */
export function allowScheme(): void {
  protocol.registerSchemesAsPrivileged([{ scheme: 'app', privileges: { standard: true, secure: true } }]);
}

export function servePage(): void {
  protocol.handle('app', async ({ url }) => {
    const { pathname } = new URL(url);
    const type = types.get(pathname);
    if (type === undefined) return new Response('', { status: 404 });
    return new Response(await readFile(join(__dirname, '../page', pathname)), { headers: { 'content-type': type } });
  });
}
