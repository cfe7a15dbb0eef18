/** Builds the window and serves it as the main process does: from files, with the app's content security policy. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize, resolve } from 'node:path';
import { createBuilder } from 'vite';

const repository = resolve(import.meta.dirname, '../..');
const isBuilt = process.env.TEST_BUILT === '1';
const outDir = join(repository, isBuilt ? 'dist/renderer' : '.cache/window-under-test');

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** The app's own policy: anything the window loads beyond it fails a test. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; form-action 'none'; base-uri 'none'";

export type ServedWindow = { readonly url: string; readonly stop: () => Promise<void> };

/**
 * Builds only the renderer, as the app's build does, without the main process, the preload and the server. Does nothing
 * in `npm test`, which has built the app.
 */
export async function buildWindow(): Promise<void> {
  if (isBuilt) return;
  const configFile = join(repository, 'vite.config.ts');
  const environments = { client: { build: { outDir } } };
  const builder = await createBuilder({ configFile, logLevel: 'error', environments });
  const { client } = builder.environments;
  if (client !== undefined) await builder.build(client);
}

/** Serves the built window on a free loopback port. */
export async function serveWindow(): Promise<ServedWindow> {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://window').pathname);
    const file = join(outDir, path === '/' ? 'index.html' : path);
    readFile(file).then(
      (content) => {
        const type = types[extname(file)] ?? 'application/octet-stream';
        response.writeHead(200, { 'content-type': type, 'content-security-policy': policy });
        response.end(content);
      },
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    stop: () => new Promise((done) => server.close(() => done())),
  };
}
