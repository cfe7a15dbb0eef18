/** Finds the imports of each file in the text of the sources. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export type Import = { readonly file: string; readonly target: string; readonly typeOnly: boolean };

const importPattern =
  /(?:^|\n)\s*(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*[),]/g;

/** Returns every import of the sources below `root`; a relative target becomes a path from the root. */
export function readImports(root: string): Import[] {
  const files = globSync('{shared,renderer,electron,server}/**/*.{ts,tsx}', { cwd: root });
  return files
    .map((file) => file.replaceAll('\\', '/'))
    .flatMap((file) => importsOf(file, readFileSync(join(root, file), 'utf8')));
}

/** Returns the imports in one file's text. */
export function importsOf(file: string, text: string): Import[] {
  return [...text.matchAll(importPattern)].map((match) => {
    const target = match[2] ?? match[3] ?? '';
    const resolved = target.startsWith('.') ? normalize(join(dirname(file), target)).replaceAll('\\', '/') : target;
    return { file, target: resolved, typeOnly: match[1] !== undefined };
  });
}
