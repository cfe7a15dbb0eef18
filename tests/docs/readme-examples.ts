/** Type-checks the TypeScript examples of a document as an app that copies our sources would compile them. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** The copied folders, each with its place in the app. */
const copiedFolders = { shared: 'shared' };

const compilerOptions = {
  composite: false,
  incremental: false,
  declaration: false,
  emitDeclarationOnly: false,
  noEmit: true,
  preserveSymlinks: true,
  types: ['node'],
};

/** Returns the `ts` blocks of a Markdown text. */
export function findExamples(markdown: string): string[] {
  return [...markdown.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
}

/**
 * Returns the compiler errors in the examples, each a file of an app with the copied folders; empty if there are none.
 */
export function typeErrorsOf(examples: readonly string[]): string {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(root, '.cache/examples-'));
  try {
    mkdirSync(join(folder, 'app'));
    for (const [path, target] of Object.entries(copiedFolders)) {
      symlinkSync(join(root, target), join(folder, path), 'junction');
    }
    for (const [index, code] of examples.entries()) writeFileSync(join(folder, `app/example-${index + 1}.ts`), code);
    const config = { extends: '../../tsconfig.json', compilerOptions, references: [], include: ['app/*.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
    return status === 0 ? '' : `exit code ${status}\n${stdout}${stderr}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
