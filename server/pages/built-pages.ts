/** Reads the built admin page and account page into memory, to be served from there. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';

export type PageFile = { readonly name: string; readonly contentType: string; readonly content: Buffer };

export type BuiltPages = {
  /** HTML documents. */
  readonly admin: Buffer;
  readonly account: Buffer;
  /** Scripts, styles and images of both pages; their names contain a hash of their content. */
  readonly assets: readonly PageFile[];
};

/** Folder of the built pages, beside the server bundle. */
const builtFolder =
  basename(import.meta.dirname) === 'pages'
    ? join(import.meta.dirname, '../../dist/server/pages')
    : join(import.meta.dirname, 'pages');

const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Returns the pages; `undefined` if they have not been built. */
export function readBuiltPages(folder = builtFolder): BuiltPages | undefined {
  try {
    const assetsFolder = join(folder, 'assets');
    const assets = readdirSync(assetsFolder).map((name) => ({
      name,
      contentType: contentTypes[extname(name)] ?? 'application/octet-stream',
      content: readFileSync(join(assetsFolder, name)),
    }));
    const read = (name: string) => readFileSync(join(folder, name));
    return { admin: read('admin.html'), account: read('account.html'), assets };
  } catch {
    return undefined;
  }
}
