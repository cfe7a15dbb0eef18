/**
 * `npm run server` and `npm run admin`: which Node they run on, whether from the bundle or the sources, and the admin
 * page.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hashPageSources, hashServerSources } from '../../.npm/source-hash.mjs';
import { repository } from '../harness/environment.ts';
import { temporaryFolder } from '../harness/test-admin.ts';

const pagesFolder = (folder: string) => join(folder, 'dist/server/pages');

/**
 * Creates a checkout with an admin page and a program that prints what runs it; `hasPackage` adds the Node of a
 * package.
 */
function checkout(hasPackage: boolean): { folder: string; packageNode: string } {
  const folder = temporaryFolder();
  for (const name of ['.npm', 'server', 'shared', 'dist/server', 'node_modules/.bin', 'node_modules/node-package/bin'])
    mkdirSync(join(folder, name), { recursive: true });
  for (const name of ['.npm/run.mjs', '.npm/pages.mjs', '.npm/source-hash.mjs', 'package-lock.json', 'vite.config.ts'])
    copyFileSync(join(repository, name), join(folder, name));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(
    join(folder, 'server/main.ts'),
    'const words: string[] = process.argv.slice(1); console.log(JSON.stringify({ node: process.execPath, words, options: process.execArgv, pid: process.pid }));',
  );
  mkdirSync(pagesFolder(folder));
  writeFileSync(join(pagesFolder(folder), 'admin.html'), 'built');
  const packageNode = join(folder, 'node_modules/node-package/bin/node');
  if (hasPackage) {
    copyFileSync(process.execPath, packageNode);
    symlinkSync(packageNode, join(folder, 'node_modules/.bin/node'));
  }
  return { folder, packageNode };
}

/** Creates a folder for the PATH with a Node: this one, or a program that reports another version. */
function systemFolder(version?: string): string {
  const folder = temporaryFolder();
  const node = join(folder, 'node');
  if (version === undefined) copyFileSync(process.execPath, node);
  else writeFileSync(node, `#!/bin/sh\necho ${version}\n`);
  chmodSync(node, 0o755);
  return folder;
}

function run(folder: string, node: string, path: readonly string[]) {
  const child = spawnSync(node, ['--stack-size=900', '.npm/run.mjs', 'server/main.ts', '--a', 'b'], {
    cwd: folder,
    env: { PATH: path.join(delimiter) },
    encoding: 'utf8',
  });
  expect(child.stderr).toBe('');
  expect(child.status).toBe(0);
  return { ...JSON.parse(child.stdout), started: child.pid };
}

describe.skipIf(process.platform === 'win32')('a program of the server', () => {
  it('runs on the system’s Node in the same process if that is new enough', () => {
    const { folder, packageNode } = checkout(true);
    const system = systemFolder();
    const ran = run(folder, packageNode, [join(folder, 'node_modules/.bin'), system]);
    expect(ran).toMatchObject({ node: join(system, 'node'), words: [join(folder, 'server/main.ts'), '--a', 'b'] });
    expect(ran.pid).toBe(ran.started);
    expect(ran.options).toEqual(['--stack-size=900']);
  });

  it.each(['v20.20.2', 'v22.1.0', 'nonsense'])('runs on the package’s Node if the system’s is %s', (version) => {
    const { folder, packageNode } = checkout(true);
    const ran = run(folder, packageNode, [join(folder, 'node_modules/.bin'), systemFolder(version)]);
    expect(ran).toMatchObject({ node: packageNode, words: [join(folder, 'server/main.ts'), '--a', 'b'] });
  });

  it('runs on the system’s Node without the package', () => {
    const { folder } = checkout(false);
    const system = systemFolder();
    expect(run(folder, join(system, 'node'), [system])).toMatchObject({ node: join(system, 'node') });
  });
});

describe('the bundle of the server', () => {
  const node = process.execPath;

  /** Creates a checkout with a bundle of the current sources. */
  function built(): string {
    const { folder } = checkout(false);
    writeFileSync(join(folder, 'dist/server/main.js'), 'console.log(JSON.stringify({ isBundle: true }));');
    writeFileSync(join(folder, 'dist/server/made-from'), hashServerSources(folder));
    return folder;
  }

  it('is used if it was built from the current sources', () => {
    expect(run(built(), node, [])).toMatchObject({ isBundle: true });
  });

  it.each([
    [
      'a source was changed',
      (folder: string) => writeFileSync(join(folder, 'server/main.ts'), 'console.log("{}") // 2'),
    ],
    ['a source was added', (folder: string) => writeFileSync(join(folder, 'shared/more.ts'), '')],
    ['libraries were updated', (folder: string) => writeFileSync(join(folder, 'package-lock.json'), '{}')],
    ['it was not finished', (folder: string) => rmSync(join(folder, 'dist/server/made-from'))],
  ])('is not used if %s', (_case, change) => {
    const folder = built();
    change(folder);
    expect(run(folder, node, [])).not.toMatchObject({ isBundle: true });
  });
});

describe('the admin page of a checkout', () => {
  const notBuilt =
    'the pages have not been built, so /admin and /account respond with 404: run "npm ci && npm run build", then start the server again\n';

  /** Creates a checkout without a built page, whose page build is a program that writes a file or fails. */
  function withVite(
    build = "import { mkdirSync, writeFileSync } from 'node:fs'; const folder = process.argv[2]; mkdirSync(folder); writeFileSync(folder + '/built', '');",
  ): string {
    const { folder } = checkout(false);
    rmSync(pagesFolder(folder), { recursive: true });
    mkdirSync(join(folder, 'node_modules/vite'));
    mkdirSync(join(folder, 'renderer'));
    writeFileSync(join(folder, '.npm/build-pages.mjs'), build);
    return folder;
  }

  function start(folder: string, environment: NodeJS.ProcessEnv = {}) {
    const child = spawnSync(process.execPath, ['.npm/run.mjs', 'server/main.ts'], {
      cwd: folder,
      env: environment,
      encoding: 'utf8',
    });
    expect(child.status).toBe(0);
    expect(JSON.parse(child.stdout)).toMatchObject({ node: process.execPath });
    return child.stderr;
  }

  it('is built before the server starts, and not again while its sources are unchanged', () => {
    const folder = withVite();
    expect(start(folder)).toBe('building the admin page and the account page\n');
    expect(readdirSync(pagesFolder(folder))).toEqual(['built']);
    writeFileSync(join(pagesFolder(folder), 'made-from'), hashPageSources(folder));
    expect(start(folder)).toBe('');
    writeFileSync(join(folder, 'renderer/admin.css'), '');
    expect(start(folder)).toBe('building the admin page and the account page\n');
  });

  it('is not built in production, where a start without one says what to do', () => {
    const folder = withVite();
    expect(start(folder, { NODE_ENV: 'production' })).toBe(notBuilt);
    expect(existsSync(pagesFolder(folder))).toBe(false);
  });

  it('is used in production as it was built, whatever has changed since', () => {
    const folder = withVite("throw new Error('a start in production builds nothing')");
    mkdirSync(pagesFolder(folder));
    writeFileSync(join(pagesFolder(folder), 'admin.html'), 'built');
    writeFileSync(join(pagesFolder(folder), 'made-from'), 'other sources');
    expect(start(folder, { NODE_ENV: 'production' })).toBe('');
    expect(readdirSync(pagesFolder(folder)).sort()).toEqual(['admin.html', 'made-from']);
  });

  it('is used as it was built if vite is not installed, and a start without one says what to do', () => {
    const { folder } = checkout(false);
    expect(start(folder)).toBe('');
    rmSync(pagesFolder(folder), { recursive: true });
    expect(start(folder)).toBe(notBuilt);
  });

  it('stays unchanged if it cannot be built, and the server still starts', () => {
    const folder = withVite("console.error('no such file'); process.exit(1);");
    mkdirSync(pagesFolder(folder));
    writeFileSync(join(pagesFolder(folder), 'old'), '');
    expect(start(folder)).toBe(
      'building the admin page and the account page\nthe pages could not be built: no such file\n',
    );
    expect(readdirSync(join(folder, 'dist/server'))).toEqual(['pages']);
    expect(readdirSync(pagesFolder(folder))).toEqual(['old']);
  });
});

describe.skipIf(process.platform === 'win32')('the compile cache', () => {
  const cacheOf = (folder: string) => join(folder, 'node_modules/.cache/latchkey');

  it('is in a folder that only its user can access', () => {
    const { folder } = checkout(false);
    run(folder, process.execPath, []);
    expect(statSync(cacheOf(folder)).mode & 0o777).toBe(0o700);
    expect(readdirSync(cacheOf(folder))).toHaveLength(1);
  });

  it('is not used if other users could write to it', () => {
    const { folder } = checkout(false);
    mkdirSync(cacheOf(folder), { recursive: true });
    chmodSync(cacheOf(folder), 0o775);
    run(folder, process.execPath, []);
    expect(readdirSync(cacheOf(folder))).toEqual([]);
  });
});
