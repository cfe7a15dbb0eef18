/**
 * The pages of a server that runs from a checkout: built at the first start and after a change of their sources. Where
 * that is done beforehand, which is in production and where vite is not installed, nothing is built.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hashPageSources } from './source-hash.mjs';

/** Where the server looks for the pages. */
const pagesFolder = join('dist', 'server', 'pages');

const notBuilt =
  'the pages have not been built, so /admin and /account respond with 404: run "npm ci && npm run build", then start the server again';

/** Says on standard error that it builds, or why it cannot, or that there are no pages: then the server runs without them. */
export function buildPagesIfChanged(root) {
  if (process.env.NODE_ENV === 'production' || !existsSync(join(root, 'node_modules', 'vite'))) {
    if (!existsSync(join(root, pagesFolder, 'admin.html'))) console.error(notBuilt);
    return;
  }
  if (isCurrent(root)) return;
  console.error('building the admin page and the account page');
  const folder = join(root, pagesFolder);
  // Beside it, because another server may be reading the present one, or building one as well.
  const newFolder = `${folder}-${process.pid}`;
  const script = join(root, '.npm', 'build-pages.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, newFolder], { cwd: root, encoding: 'utf8' });
  try {
    if (status !== 0) throw new Error(`${stdout}${stderr}`.trim());
    rmSync(folder, { recursive: true, force: true });
    renameSync(newFolder, folder);
  } catch (error) {
    console.error(`the pages could not be built: ${error.message}`);
    rmSync(newFolder, { recursive: true, force: true });
  }
}

function isCurrent(root) {
  try {
    return readFileSync(join(root, pagesFolder, 'made-from'), 'utf8') === hashPageSources(root);
  } catch {
    return false;
  }
}
