/** Reads the admin page that the build has made: what is served for it, in memory. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';

export type PageFile = { readonly name: string; readonly contentType: string; readonly content: Buffer };

export type BuiltPage = {
  readonly document: Buffer;
  /** Scripts, styles and images, whose names contain a hash of their content. */
  readonly assets: readonly PageFile[];
};

/** Beside the bundle of the server, where the build puts it. */
const builtFolder =
  basename(import.meta.dirname) === 'admin-page'
    ? join(import.meta.dirname, '../../dist/server/admin-page')
    : join(import.meta.dirname, 'admin-page');

const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** `undefined` if the page has not been built. */
export function readBuiltPage(folder = builtFolder): BuiltPage | undefined {
  try {
    const assetsFolder = join(folder, 'admin', 'assets');
    const assets = readdirSync(assetsFolder).map((name) => ({
      name,
      contentType: contentTypes[extname(name)] ?? 'application/octet-stream',
      content: readFileSync(join(assetsFolder, name)),
    }));
    return { document: readFileSync(join(folder, 'admin.html')), assets };
  } catch {
    return undefined;
  }
}
