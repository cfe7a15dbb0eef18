/** Reads the admin page and the account page that the build has made: what is served for them, in memory. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';

export type PageFile = { readonly name: string; readonly contentType: string; readonly content: Buffer };

export type BuiltPages = {
  /** The documents. */
  readonly admin: Buffer;
  readonly account: Buffer;
  /** Scripts, styles and images of both, whose names contain a hash of their content. */
  readonly assets: readonly PageFile[];
};

/** Beside the bundle of the server, where the build puts them. */
const builtFolder =
  basename(import.meta.dirname) === 'pages'
    ? join(import.meta.dirname, '../../dist/server/pages')
    : join(import.meta.dirname, 'pages');

const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** `undefined` if they have not been built. */
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
