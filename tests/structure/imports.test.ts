/** No file violates the import rules of its folder, and package.json lists what a running server needs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Import, importsOf, readImports } from '../../electron/release/imports.ts';
import { importsInCircles } from './import-circles.ts';
import { importRules } from './import-rules.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const imports = readImports(root);

const show = (offenders: Import[]) => offenders.map(({ file, target }) => `${file} imports ${target}`);

describe('imports', () => {
  it('are recognized in every form in which a file can import another', () => {
    const text = [
      "import { a } from '../a.ts';",
      "import type { B } from './b.ts';",
      "export { c } from 'zod';",
      "import './d.css';",
      "const e = await import('node:fs');",
      "const h = await import('ajv/data.json', {\n  with: { type: 'json' },\n});",
      "import {\n  f,\n  g,\n} from '../../f.ts';",
    ].join('\n');
    expect(importsOf('server/x/y.ts', text).map(({ target }) => target)).toEqual([
      'server/a.ts',
      'server/x/b.ts',
      'zod',
      'server/x/d.css',
      'node:fs',
      'ajv/data.json',
      'f.ts',
    ]);
  });

  it('are found at all, so that the rules below check something', () => {
    expect(imports.length).toBeGreaterThan(100);
  });

  it.each(importRules)('from $from follow the rule: $because', ({ from, except = [], ofFiles = /./, never }) => {
    const isMeant = (file: string) =>
      file.startsWith(from) && !except.some((path) => file.startsWith(path)) && ofFiles.test(file);
    const offenders = imports.filter(({ file, target }) => {
      return isMeant(file) && (typeof never === 'function' ? never(file) : never).test(target);
    });
    expect(show(offenders)).toEqual([]);
  });
});

it("the account page cannot reach code that calls functions of the app's main process", () => {
  const reached = new Set(['renderer/account/main.tsx']);
  for (const file of reached) {
    for (const found of imports) if (found.file === file && !found.typeOnly) reached.add(found.target);
  }
  expect(reached).toContain('renderer/account-bridge.ts');
  expect(reached).not.toContain('renderer/bridge.ts');
});

describe('circular imports', () => {
  it('are found, without the imports that lead to them', () => {
    const edges = ['a b', 'b c', 'c b', 'c d'].map((edge) => edge.split(' '));
    const found = importsInCircles(edges.map(([file = '', target = '']) => ({ file, target, typeOnly: true })));
    expect(show(found)).toEqual(['b imports c', 'c imports b']);
  });

  it('do not exist, so that a file can be read after those that it imports', () => {
    expect(show(importsInCircles(imports))).toEqual([]);
  });
});

it('the dependencies are the packages that the server imports; all others are bundled or development dependencies', () => {
  const inServer = imports.filter(({ file, typeOnly }) => /^(?:server|shared)\//.test(file) && !typeOnly);
  const packages = inServer.flatMap(
    ({ target }) => /^(?!node:|server\/|shared\/)(?:@[^/]+\/)?[^/]+/.exec(target) ?? [],
  );
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect([...new Set(packages)].sort()).toEqual(Object.keys(dependencies).sort());
});
