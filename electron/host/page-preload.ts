/** Puts the real preload bundle before the page's own scripts, with the host's page side for its `electron`. */
import { readFile } from 'node:fs/promises';
import { hostPath } from './messages.ts';

/** The preload bundle as a module that a browser runs. */
export async function preloadModule(preload: string, uploadsFolder: string): Promise<string> {
  return `import { electronForPage } from '${hostPath}page/electron-for-page.ts';
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

/** The app's answer with the preload in its HTML, and a policy that lets the page reach the host's socket and no more. */
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
