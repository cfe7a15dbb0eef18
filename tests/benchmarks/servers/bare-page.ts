/**
 * A page with as many bytes of script and styles as the window, served like the browser host serves the window. Prints
 * its address.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { PageServer } from '../../../electron/host/page/page-server.ts';
import { Uploads } from '../../../electron/host/page/uploads.ts';
import { repository } from '../../harness/environment.ts';

const dist = join(repository, 'dist');
const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

/** Returns the files of the page by path: comments as long as what the window's page references, and one text. */
function bareFiles(): Map<string, string> {
  const page = readFileSync(join(dist, 'renderer/index.html'), 'utf8');
  const assets = join(dist, 'renderer/assets');
  const bytesOf = (ending: string) => {
    const named = readdirSync(assets).filter((name) => name.endsWith(ending) && page.includes(name));
    return named.reduce((sum, name) => sum + statSync(join(assets, name)).size, 0);
  };
  const comment = (bytes: number) => `/*${' '.repeat(bytes)}*/`;
  const head = '<link rel="stylesheet" href="/page.css"><script type="module" src="/page.js"></script>';
  return new Map([
    ['/index.html', `<!doctype html><html lang="en"><head><title>Page</title>${head}</head><body></body></html>`],
    ['/page.css', comment(bytesOf('.css'))],
    ['/page.js', `${comment(bytesOf('.js'))}document.body.textContent = 'A text';`],
  ]);
}

const files = bareFiles();
const uploads = await Uploads.open();
process.once('exit', () => uploads.remove());
process.once('SIGTERM', () => process.exit());

await PageServer.start({
  port: 0,
  handleAppRequest: ({ url }) => {
    const path = new URL(url).pathname;
    const content = files.get(path);
    if (content === undefined) return new Response('Not found', { status: 404 });
    return new Response(content, { headers: { 'content-type': `${types[extname(path)]}; charset=utf-8` } });
  },
  pageUrl: new URL('http://page/index.html'),
  preload: join(dist, 'preload/preload.cjs'),
  uploads,
  // The preload script of this page waits for a desktop app that is not running.
  onSocket: () => undefined,
  onAddress: (address) => console.log(address),
});
