/** The house keeps its walls: no file imports what its folder may not meet. */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { importRules, serverLayers } from './import-rules.ts';
import { type Import, importsOf, readImports } from './imports.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const imports = readImports(root);

const show = (offenders: Import[]) => offenders.map(({ file, target }) => `${file} imports ${target}`);

describe('imports', () => {
  it('are read from every form in which a file can name another', () => {
    const text = [
      "import { a } from '../a.ts';",
      "import type { B } from './b.ts';",
      "export { c } from 'zod';",
      "import './d.css';",
      "const e = await import('node:fs');",
      "import {\n  f,\n  g,\n} from '../../f.ts';",
    ].join('\n');
    expect(importsOf('server/x/y.ts', text).map(({ target }) => target)).toEqual([
      'server/a.ts',
      'server/x/b.ts',
      'zod',
      'server/x/d.css',
      'node:fs',
      'f.ts',
    ]);
  });

  it('exist at all, so that the rules below judge something', () => {
    expect(imports.length).toBeGreaterThan(100);
  });

  it.each(importRules)('from $from keep to the rule: $because', ({ from, except = [], never }) => {
    const offenders = imports.filter(
      ({ file, target }) =>
        file.startsWith(from) && !except.some((path) => file.startsWith(path)) && never.test(target),
    );
    expect(show(offenders)).toEqual([]);
  });
});

describe('the server’s layers', () => {
  const inServer = imports.filter(({ file }) => file.startsWith('server/'));
  const featureOf = (path: string) => path.split('/')[1];

  it(`keep repositories to their own feature: ${serverLayers.repository}`, () => {
    const offenders = inServer.filter(
      ({ file, target }) => /\.repository\.ts$/.test(target) && featureOf(file) !== featureOf(target),
    );
    expect(show(offenders)).toEqual([]);
  });

  it(`go down only: ${serverLayers.downwards}`, () => {
    const rank = (path: string) =>
      ['.routes.ts', '.service.ts', '.repository.ts'].findIndex((ending) => path.endsWith(ending));
    const offenders = inServer.filter(
      ({ file, target }) => rank(file) > 0 && rank(target) >= 0 && rank(target) < rank(file),
    );
    expect(show(offenders)).toEqual([]);
  });

  it(`let nobody but the app import routes: ${serverLayers.routes}`, () => {
    const offenders = inServer.filter(({ file, target }) => target.endsWith('.routes.ts') && file !== 'server/app.ts');
    expect(show(offenders)).toEqual([]);
  });
});
