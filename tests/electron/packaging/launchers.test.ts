/** The commands that come with the installers pass their arguments to the app, after `--cli`. */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { repository } from '../../harness/environment.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const launchers = join(repository, 'electron/packaging');
const builder = parse(readFileSync(join(repository, 'electron-builder.yml'), 'utf8'));

/** Writes a program that prints each of its arguments on a line, and exits with 3. */
function writeProgram(path: string): void {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, '#!/bin/sh\nprintf \'%s\\n\' "$@"\nexit 3\n');
  chmodSync(path, 0o755);
}

function run(launcher: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): string[] {
  const script = `"$@"; test $? = 3`;
  const words = ['-c', script, 'sh', launcher, ...args];
  return execFileSync('sh', words, { env: { PATH: process.env.PATH, ...environment }, encoding: 'utf8' })
    .trimEnd()
    .split('\n');
}

const words = ['lease', 'import', 'a file.lease', '--json', ''];

describe('the latchkey command of the Debian package', () => {
  const installed = '/opt/Latchkey/latchkey-desktop';

  function install(): string {
    const folder = temporaryFolder();
    const launcher = join(folder, 'latchkey');
    const text = readFileSync(join(launchers, 'linux/latchkey'), 'utf8');
    writeFileSync(launcher, text.replaceAll(installed, join(folder, 'latchkey-desktop')));
    chmodSync(launcher, 0o755);
    writeProgram(join(folder, 'latchkey-desktop'));
    return launcher;
  }

  it('runs the program that the package installs', () => {
    expect(installed).toBe(`/opt/${builder.productName}/${builder.linux.executableName}`);
    expect(readFileSync(join(launchers, 'linux/latchkey'), 'utf8')).toContain(installed);
    expect(builder.extraMetadata.desktopName).toBe(`${builder.linux.executableName}.desktop`);
    expect(builder.deb.fpm).toEqual(['electron/packaging/linux/latchkey=/usr/bin/latchkey']);
    expect(statSync(join(launchers, 'linux/latchkey')).mode & 0o111).toBe(0o111);
  });

  it('passes on each argument, and returns the exit code', () => {
    expect(run(install(), [...words, 'end'], { DISPLAY: ':0' })).toEqual(['--cli', ...words, 'end']);
    expect(run(install(), ['status'], { WAYLAND_DISPLAY: 'wayland-0' })).toEqual(['--cli', 'status']);
  });

  it('needs no display', () => {
    expect(run(install(), ['status'])).toEqual(['--ozone-platform=headless', '--cli', 'status']);
  });
});

describe('the latchkey command of the macOS app', () => {
  it('passes on each argument and returns the exit code, also through symbolic links', () => {
    const folder = temporaryFolder();
    const [{ from, to }] = builder.mac.extraResources;
    const launcher = join(folder, 'Latchkey.app/Contents/Resources', to);
    mkdirSync(join(launcher, '..'), { recursive: true });
    copyFileSync(join(repository, from), launcher);
    writeProgram(join(folder, 'Latchkey.app/Contents/MacOS/Latchkey'));
    mkdirSync(join(folder, 'bin'));
    symlinkSync('../Latchkey.app/Contents/Resources/bin/latchkey', join(folder, 'bin/latchkey'));
    symlinkSync(join(folder, 'bin/latchkey'), join(folder, 'absolute'));
    for (const path of [launcher, join(folder, 'bin/latchkey'), join(folder, 'absolute')])
      expect(run(path, [...words, 'end'])).toEqual(['--cli', ...words, 'end']);
  });
});

describe('latchkey.cmd of the Windows app', () => {
  it('is beside the program that it runs, has Windows line endings and returns the exit code', () => {
    const [{ from, to }] = builder.win.extraFiles;
    expect(to).toBe('latchkey.cmd');
    const text = readFileSync(join(repository, from), 'utf8');
    expect(text.split('\n').every((line) => line === '' || line.endsWith('\r'))).toBe(true);
    expect(text).toContain(`"%~dp0${builder.productName}.exe" --cli %*\r\nexit /b %ERRORLEVEL%\r\n`);
  });
});
