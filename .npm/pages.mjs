/**
 * Builds the pages of a server that runs from a checkout, at the first start and whenever their sources have changed.
 * Does nothing where they are built in advance: in production, or if Vite is not installed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hashPageSources } from './source-hash.mjs';

/** Folder in which the server looks for the pages. */
const pagesFolder = join('dist', 'server', 'pages');

const notBuilt =
  'the pages have not been built, so /admin and /account respond with 404: run "npm ci && npm run build", then start the server again';

/**
 * Builds the pages if necessary. Reports on standard error that it is building, or why it cannot, or that there are no
 * pages; the server then runs without them.
 */
export function buildPagesIfChanged(root) {
  if (process.env.NODE_ENV === 'production' || !existsSync(join(root, 'node_modules', 'vite'))) {
    if (!existsSync(join(root, pagesFolder, 'admin.html'))) console.error(notBuilt);
    return;
  }
  if (isCurrent(root)) return;
  console.error('building the admin page and the account page');
  const folder = join(root, pagesFolder);
  // Built in a separate folder, because another server may be reading or building the current one.
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
