/**
 * The files that a page loads from the host: the app's own with the preload script added, and the preload script's
 * modules.
 */
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { hostPath } from './page-messages.ts';

const devalueFolder = new URL('.', import.meta.resolve('devalue'));

/** Returns one of the host's own files as JavaScript, by its name below `hostPath`; rejects if there is none. */
export async function readHostFile(name: string, preload: string, uploadsFolder: string): Promise<string> {
  if (name === 'preload.js') return preloadModule(preload, uploadsFolder);
  const [, moduleOfDevalue] = /^devalue\/([\w-]+\.js)$/.exec(name) ?? [];
  if (moduleOfDevalue !== undefined) return readFile(new URL(moduleOfDevalue, devalueFolder), 'utf8');
  if (!/^(client\/)?[a-z-]+\.ts$/.test(name)) throw new Error(`There is no ${name}.`);
  const code = stripTypeScriptTypes(await readFile(new URL(name, import.meta.url), 'utf8'));
  return code.replace(`from 'devalue'`, `from '${hostPath}devalue/index.js'`);
}

/** Returns the preload bundle as a browser module; its `require('electron')` returns the page's side of the shim. */
async function preloadModule(preload: string, uploadsFolder: string): Promise<string> {
  return `import { electronForPage } from '${hostPath}client/electron-for-page.ts';
const electron = electronForPage(${JSON.stringify(uploadsFolder)});
const require = (name) => {
  if (name !== 'electron') throw new Error('A sandboxed preload can require electron only, not ' + name);
  return electron;
};
const module = { exports: {} };
((module, exports, require) => {
${await readFile(preload, 'utf8')}
})(module, module.exports, require);
`;
}

/**
 * Adds the preload script to the app's HTML, before the app's scripts, and allows the host's socket in its security
 * policy.
 */
export async function attachPreload(
  response: Response,
  socketOrigin: string,
): Promise<{ readonly headers: Record<string, string>; readonly body: string | Buffer }> {
  const headers = Object.fromEntries(response.headers);
  const policy = headers['content-security-policy'];
  if (policy !== undefined) {
    headers['content-security-policy'] = policy.replace("connect-src 'none'", `connect-src 'self' ${socketOrigin}`);
  }
  headers['cache-control'] = 'no-store';
  headers['cross-origin-resource-policy'] = 'same-origin';
  if (!headers['content-type']?.startsWith('text/html')) {
    return { headers, body: Buffer.from(await response.arrayBuffer()) };
  }
  const script = `<script type="module" src="${hostPath}preload.js"></script>`;
  return { headers, body: (await response.text()).replace('<head>', `<head>${script}`) };
}
