/** Runs `npm run package` without the build, which is up to the caller, on a stand-in for Electron's binary. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { childEnvironment, repository } from '../../harness/environment.ts';
import { writeElectronDist } from './electron-binary.ts';

export type Packed = {
  readonly code: number;
  readonly output: string;
  /** The folder of the packed app. */
  readonly appFolder: string;
};

/** Packs the app for Linux into the folder; `strayFiles` are packed too. */
export function packApp(folder: string, strayFiles: readonly string[] = []): Promise<Packed> {
  const electronDist = writeElectronDist(join(folder, 'electron-dist'));
  const config = join(folder, 'electron-builder.json');
  const builderSettings = parse(readFileSync(join(repository, 'electron-builder.yml'), 'utf8'));
  writeFileSync(config, JSON.stringify({ ...builderSettings, files: [...builderSettings.files, ...strayFiles] }));
  const release = join(folder, 'release');
  const builder = join(repository, 'node_modules/electron-builder/cli.js');
  const settings = [`-c.electronDist=${electronDist}`, `-c.directories.output=${release}`];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [builder, '--config', config, '--linux', 'dir', '--x64', ...settings],
      { cwd: repository, env: childEnvironment({}) },
      (error, stdout, stderr) =>
        resolve({
          code: error === null ? 0 : Number(error.code),
          output: `${stdout}${stderr}`,
          appFolder: join(release, 'linux-unpacked'),
        }),
    );
  });
}
