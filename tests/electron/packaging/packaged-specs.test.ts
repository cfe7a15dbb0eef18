/** The end-to-end specs pass on the packed app: extracted from the archive, away from this repository. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { extractAll } from '@electron/asar';
import { expect, it, onTestFinished } from 'vitest';
import { buildIfChanged } from '../../../electron/host/start/build-if-changed.ts';
import { childEnvironment, repository } from '../../harness/environment.ts';
import { makeTemporaryFolder, removeFolder } from '../../harness/temporary-folder.ts';
import { packApp } from './pack-app.ts';

/** Those that load each part of the app; the others do not depend on where it is. */
const specs = [
  'smoke.spec.ts',
  'command-line.spec.ts',
  '--grep=smoke.spec|without a window|open window runs|the other commands',
];

it('the packed app signs in, activates and answers commands', { timeout: 400_000 }, async () => {
  await buildIfChanged(repository, () => undefined);
  const folder = makeTemporaryFolder();
  onTestFinished(() => removeFolder(folder));
  const { appFolder } = await packApp(folder);
  const extracted = join(folder, 'extracted');
  extractAll(join(appFolder, 'resources/app.asar'), extracted);
  const playwright = join(repository, 'node_modules/@playwright/test/cli.js');
  const parameters = ['test', '--config', 'tests/e2e/playwright.config.ts', `--output=${folder}/results`, ...specs];
  const settings = { LATCHKEY_APP_FOLDER: extracted, TEST_QUICK: '' };
  const run = promisify(execFile)(process.execPath, [playwright, ...parameters], {
    cwd: repository,
    env: childEnvironment(settings),
  });
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  expect(stdout).toContain(`The desktop app is the one in ${extracted}.`);
  expect(stdout).toMatch(/\d+ passed/);
  expect(stdout).not.toMatch(/\d+ (?:failed|flaky|did not run)/);
});
