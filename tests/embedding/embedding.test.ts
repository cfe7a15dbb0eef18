/** The npm package `latchkey-client`, installed as an app installs it, in an Electron app and in Node programs. */
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { electronBinary, openDesktop, runInElectron, runInHost } from '../e2e/fixtures/desktop.ts';
import { Admin } from '../harness/admin.ts';
import { childEnvironment, repository } from '../harness/environment.ts';
import { type ServerProcess, startServer } from '../harness/start-server.ts';
import { makeTemporaryFolder, removeFolder } from '../harness/temporary-folder.ts';
import { browserArguments, browserEnvironment, findBrowser } from '../run/find-browser.ts';

const sources = join(import.meta.dirname, 'app');
const app = makeTemporaryFolder();
const data = makeTemporaryFolder();
const installed = join(app, 'node_modules/latchkey-client');
const account = { email: 'ada@example.org', password: 'quiet harbor lantern 47' };
let server: ServerProcess;
let licenseKey = '';

/** Returns the output of the program, which must succeed. */
function run(command: string, args: readonly string[], cwd = app): string {
  const env = childEnvironment({ LICENSE_SERVER: server?.url ?? '' });
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', env });
  expect(status, `${command} ${args.join(' ')}\n${stdout}${stderr}`).toBe(0);
  return stdout;
}

const node = (...args: string[]) => run(process.execPath, args);
const program = (path: string) => join(repository, 'node_modules', path);

/** Compiles files of the app in strict mode, with only the declarations that `types` names. */
function compile(files: readonly string[], options: object): void {
  const compilerOptions = { strict: true, skipLibCheck: false, types: [], target: 'es2022', noEmit: true, ...options };
  const config = join(app, 'tsconfig.json');
  writeFileSync(config, JSON.stringify({ compilerOptions, files }));
  node(program('typescript/bin/tsc'), '-p', config);
}

const node16 = { module: 'Node16', moduleResolution: 'Node16' };
const bundler = { module: 'ESNext', moduleResolution: 'Bundler' };

async function runAdmin(...words: string[]) {
  const { code, stdout, stderr } = await new Admin(data, {}).run([...words, '--json']);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

beforeAll(async () => {
  const tarball = run(process.execPath, ['electron/package/pack-client.ts'], repository).trim();
  cpSync(sources, app, { recursive: true });
  writeFileSync(join(app, 'package.json'), JSON.stringify({ name: 'sketcher', version: '1.0.0', private: true }));
  const words = ['install', '--offline', '--no-audit', '--no-fund', '--legacy-peer-deps', '--cache', join(app, '.npm')];
  run('npm', [...words, join(repository, tarball), program('zod')]);
  for (const name of ['react', 'react-dom', 'scheduler', '@types', 'undici-types', 'csstype', 'electron']) {
    symlinkSync(program(name), join(app, 'node_modules', name), 'junction');
  }
  server = await startServer({ LATCHKEY_DATA: data });
  const response = await fetch(`${server.url}/api/v1/auth/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...account, full_name: 'Ada' }),
  });
  expect(response.status).toBe(200);
  await runAdmin('subscription', 'set', account.email, '--plan', 'standard');
  licenseKey = (await runAdmin('license', 'issue', '--email', account.email)).license_key;
});

afterAll(async () => {
  await server?.stop();
  removeFolder(app);
  removeFolder(data);
});

describe('the package', () => {
  it('takes at most 250 kB, and depends only on zod', () => {
    const files = globSync('**/*', { cwd: installed, withFileTypes: true }).filter((file) => file.isFile());
    const texts = files.map(({ parentPath, name }) => ({ name, text: readFileSync(join(parentPath, name), 'utf8') }));
    expect(texts.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)).toBeLessThanOrEqual(250_000);
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    expect(Object.keys(manifest.dependencies)).toEqual(['zod']);
    expect(manifest).toMatchObject({ sideEffects: false, engines: { node: '>=20' } });
    expect(manifest.scripts).toBeUndefined();
    const required = texts
      .filter(({ name }) => /\.c?js$/.test(name))
      .flatMap(({ text }) =>
        [...text.matchAll(/(?:require\(|from ?)["'`]([^"'`]+)["'`]/g)].map(([, name = '']) => name),
      );
    const foreign = required.filter((name) => !name.startsWith('.') && !isBuiltin(name));
    expect([...new Set(foreign)].sort()).toEqual(['electron', 'react', 'zod']);
  });

  it('has the licenses of the bundled packages', () => {
    const notices = readFileSync(join(installed, 'THIRD-PARTY-NOTICES.md'), 'utf8');
    const names = [...notices.matchAll(/^## (\S+) /gm)].map(([, name]) => name);
    expect(names).toEqual(expect.arrayContaining(['node-machine-id', 'ofetch']));
    expect(notices.split('Permission is hereby granted')).toHaveLength(names.length + 1);
  });

  it('has a preload script that requires only Electron', () => {
    const code = readFileSync(join(installed, 'preload.cjs'), 'utf8');
    expect([...code.matchAll(/require\((.*?)\)/g)].map(([, name]) => name)).toEqual(['"electron"']);
  });

  it('passes publint and attw', () => {
    node(program('publint/src/cli.js'), '--strict', installed);
    node(program('@arethetypeswrong/cli/dist/index.js'), '--pack', installed, '--no-emoji');
  });

  it('compiles without the declarations of Node and the DOM, and accepts only declared features', async () => {
    writeFileSync(join(app, 'features.d.ts'), (await runAdmin('feature', 'types')).declaration);
    const gate = `
      import { createLicensingClient, isFeatureFlag, verifyLease, type Platform } from 'latchkey-client';
      import { useFeature } from 'latchkey-client/react';
      declare const platform: Platform;
      const options = { platform, server: 'https://licenses.example.org', app: { name: 'Sketcher', version: '1.0.0' } };
      export const gate = createLicensingClient(options).feature('csv_export');
      export const page = useFeature('csv_export').on;
      export { isFeatureFlag, verifyLease };
      // @ts-expect-error nobody has declared it
      createLicensingClient(options).feature('typo');
      // @ts-expect-error nobody has declared it
      useFeature('typo');`;
    for (const name of ['gate.mts', 'gate.cts']) writeFileSync(join(app, name), gate);
    compile(['features.d.ts', 'gate.mts', 'gate.cts'], node16);
    compile(['features.d.ts', 'gate.mts'], bundler);
  });

  it('has examples that compile, as editors show them, and works in Node, even after a restart without the server', async () => {
    const declarations = globSync('*.d.cts', { cwd: installed }).map((file) =>
      readFileSync(join(installed, file), 'utf8'),
    );
    const documented = declarations
      .flatMap((text) => [...text.matchAll(/@example\n([\s\S]*?)\*\//g)])
      .map(([, text = '']) => text.replace(/^ +\* ?/gm, ''));
    const [, inReadme = ''] = /```ts\n(.*?)```/s.exec(readFileSync(join(installed, 'README.md'), 'utf8')) ?? [];
    expect(documented.length).toBeGreaterThan(6);
    const examples = [...documented, inReadme].map((text, index) => {
      writeFileSync(join(app, `example-${index}.mts`), text);
      return `example-${index}.mts`;
    });
    const options = { ...node16, types: ['node', 'react'], lib: ['es2022', 'dom'], noEmit: false };
    compile(['node-app.mts', ...examples], { ...options, outDir: 'out' });
    expect(node('out/node-app.mjs', account.email, account.password, licenseKey)).toBe('csv_export is on\n');
    const { url } = server;
    await server.stop();
    expect(node('out/node-app.mjs')).toBe('csv_export is on\n');
    server = await startServer({ LATCHKEY_DATA: data, LATCHKEY_PORT: new URL(url).port });
  });

  it('rejects a wrong address or key, and has everything off and does nothing until it is started', () => {
    expect(JSON.parse(node('checks.cjs'))).toEqual({
      errors: ['TypeError', 'TypeError', 'TypeError'],
      before: { requests: 0, files: 0 },
      started: { wasOn: false, isOn: true },
      steps: expect.arrayContaining([
        'address pass',
        'tcp pass',
        'proxy unknown',
        'api pass',
        'session pass',
        'seat pass',
      ]),
      signedOut: true,
      after: 'signed-out',
    });
  });
});

describe('the Electron app of README.md', () => {
  it('matches README.md', () => {
    const readme = readFileSync(join(repository, 'README.md'), 'utf8');
    const blocks = [...readme.matchAll(/^```tsx?\n(.*?)^```$/gms)].map(([, code]) => code);
    expect(blocks).toEqual(['main.cts', 'page.tsx'].map((name) => readFileSync(join(sources, name), 'utf8')));
  });

  it('shows a feature once its user has signed in and activated the device, even without the server', async () => {
    compile(['main.cts'], { ...node16, types: ['node'], noEmit: false, outDir: 'dist/main' });
    compile(['page.tsx'], { ...bundler, types: ['react', 'react-dom'], lib: ['es2022', 'dom'], jsx: 'react-jsx' });
    await build({
      root: app,
      configFile: false,
      logLevel: 'error',
      build: { outDir: 'dist/page', rolldownOptions: { output: { entryFileNames: 'page.js' } } },
    });
    const folders = { profile: join(app, 'profile-of-the-window'), downloads: join(app, 'downloads') };
    mkdirSync(folders.profile);
    const settings = { LATCHKEY_APP_FOLDER: app, LICENSE_SERVER: server.url, XDG_CONFIG_HOME: folders.profile };
    const executablePath = findBrowser() ?? undefined;
    const browser = await chromium.launch({ executablePath, args: browserArguments, env: browserEnvironment });
    const desktop = await openDesktop(folders.downloads, () =>
      electronBinary === null
        ? runInHost(browser, folders, settings)
        : runInElectron(electronBinary, folders, settings),
    );
    try {
      await desktop.page.getByText('Export is not included.').waitFor();
      await desktop.page.getByLabel('Email').fill(account.email);
      await desktop.page.getByLabel('Password').fill('wrong');
      await desktop.page.getByLabel('License key').fill(licenseKey);
      await desktop.page.getByRole('button', { name: 'Sign in' }).click();
      await desktop.page.getByText('INVALID_CREDENTIALS').waitFor();
      await desktop.page.getByLabel('Password').fill(account.password);
      await desktop.page.getByRole('button', { name: 'Sign in' }).click();
      await desktop.page.getByRole('button', { name: 'Export' }).waitFor();
      // The feature is on before the activation is on disk; the command resolves when it is.
      await desktop.page.evaluate(`licensing.activateLicense({ licenseKey: '${licenseKey}' })`);
      await server.stop();
      await desktop.restart();
      await desktop.page.getByRole('button', { name: 'Export' }).waitFor();
      await desktop.page.evaluate('licensing.signOut({ allDevices: false })');
      await desktop.page.getByText('Export is not included.').waitFor();
    } finally {
      await desktop.close();
      await browser.close();
    }
  });
});
