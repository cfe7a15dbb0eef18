/** The release workflow uses only existing scripts, files and steps, and hashes after signing. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { hashInstallers } from '../../../electron/packaging/hash-installers.ts';
import { repository } from '../../harness/environment.ts';
import { suites } from '../../run/suites.ts';
import { temporaryFolder } from '../temporary-folder.ts';

type Step = {
  readonly name?: string;
  readonly id?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly env?: Readonly<Record<string, string>>;
};

const text = readFileSync(join(repository, '.github/workflows/release.yml'), 'utf8');
const workflow = parse(text);
const steps: readonly Step[] = workflow.jobs.package.steps;
const scripts = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')).scripts;
const commands = steps.flatMap(({ run }) => (run === undefined ? [] : [run]));

const position = (start: string) => steps.findIndex(({ name }) => name?.startsWith(start));

it('the release runs on the three systems', () => {
  const systems = workflow.jobs.package.strategy.matrix.include.map(({ os }: { os: string }) => os);
  expect(systems).toEqual(['windows-latest', 'macos-14', 'ubuntu-latest']);
});

it('the release can only read the repository, and keeps no credentials', () => {
  expect(workflow.permissions).toEqual({ contents: 'read' });
  expect(text).toContain('persist-credentials: false');
});

it.each(commands.flatMap((run) => [...run.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name)))(
  'npm run %s exists',
  (name) => expect(scripts).toHaveProperty([name]),
);

it.each(commands.flatMap((run) => [...run.matchAll(/npm test -- "([^"]+)"/g)].map(([, name = '']) => name)))(
  'the suite "%s" exists',
  (name) => expect(suites.map((suite) => suite.name)).toContain(name),
);

it.each([...new Set(text.match(/\b(?:electron|node_modules|server|tests)\/[\w@./-]+\.\w+/g))])('%s exists', (path) => {
  expect(existsSync(join(repository, path))).toBe(true);
});

it('has only commands that the shell can parse', () => {
  for (const run of commands) {
    const withoutExpressions = run.replaceAll(/\$\{\{.*?\}\}/g, 'x');
    expect(() => execFileSync('bash', ['-n', '-c', withoutExpressions], { stdio: 'pipe' })).not.toThrow();
  }
});

it('hashes and uploads after signing, stapling and the specs', () => {
  const order = ['Package and sign', 'Notarize and staple', 'Extract', 'End-to-end specs on what', 'Hash'].map(
    position,
  );
  expect(order).not.toContain(-1);
  expect(order).toEqual([...order].sort((one, other) => one - other));
  expect(steps.at(-1)?.uses).toMatch(/^actions\/upload-artifact@/);
});

it('puts secrets only into variables, never into the text of a command', () => {
  for (const run of commands) expect(run).not.toMatch(/\$\{\{\s*(?:secrets|github)\./);
});

describe('when no secrets are set', () => {
  it.each([
    ['Windows', ['The app is not signed']],
    ['macOS', ['The app is not signed', 'The app is not notarized']],
    ['Linux', []],
  ])('%s packages without signing, and reports that', (system, sentences) => {
    const output = join(temporaryFolder(), 'output');
    writeFileSync(output, '');
    const run = steps.find(({ id }) => id === 'signing')?.run ?? '';
    const env = { PATH: process.env.PATH, RUNNER_OS: system, GITHUB_OUTPUT: output, RUNNER_TEMP: '/nonexistent' };
    const printed = execFileSync('bash', ['-eo', 'pipefail', '-c', run], { env, encoding: 'utf8' });
    expect(readFileSync(output, 'utf8')).toBe('');
    expect(printed.split('\n').filter(Boolean)).toEqual(
      sentences.map((sentence) => expect.stringContaining(`::warning::${sentence}`)),
    );
  });
});

describe('the hashes', () => {
  it('are those of the files, in the format that sha256sum reads', async () => {
    const folder = temporaryFolder();
    for (const name of ['Latchkey-x86_64.AppImage', 'latchkey_1.0.0_amd64.deb', 'x.AppImage.blockmap'])
      writeFileSync(join(folder, name), name);
    expect(await hashInstallers(folder, 'linux')).toHaveLength(2);
    const checked = execFileSync('sha256sum', ['--check', 'SHA256SUMS-linux'], { cwd: folder, encoding: 'utf8' });
    expect(checked).toBe('Latchkey-x86_64.AppImage: OK\nlatchkey_1.0.0_amd64.deb: OK\n');
  });

  it('require installers', async () => {
    await expect(hashInstallers(temporaryFolder(), 'linux')).rejects.toThrow(/holds no installers/);
  });
});
