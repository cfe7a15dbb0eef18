/** Admin commands in a test: on a folder that is removed with the test, with checks for each kind of outcome. */
import { expect, onTestFinished } from 'vitest';
import { Admin, type CommandResult } from './admin.ts';
import type { Settings } from './environment.ts';
import { sentence } from './response-shapes.ts';
import { makeTemporaryFolder, removeFolder } from './temporary-folder.ts';
import type { Json } from './test-server.ts';

/** Creates the admin commands of a test, on a data folder that is removed after it or on a given one. */
export function createAdmin(settings: Settings = {}, folder: string = temporaryFolder()): Admin {
  return new Admin(folder, settings);
}

/** Creates a folder that is removed when the test ends. */
export function temporaryFolder(): string {
  const folder = makeTemporaryFolder();
  onTestFinished(() => removeFolder(folder));
  return folder;
}

/** Expects success: one JSON document on stdout, nothing on stderr. */
export function expectDocument<T = Json>({ code, stdout, stderr }: CommandResult): T {
  expect(code, stderr).toBe(0);
  expect(stderr).toBe('');
  return JSON.parse(stdout) as T;
}

/** Expects failure: `{error, code}` on stderr, nothing on stdout, exit code 1. */
export function expectFailure({ code, stdout, stderr }: CommandResult, failure: string): void {
  expect(code, stderr).toBe(1);
  expect(stdout).toBe('');
  expect(JSON.parse(stderr)).toStrictEqual({ error: sentence, code: failure });
}

/** Expects a usage error: the usage on stderr, nothing on stdout, exit code 2. */
export function expectUsage({ code, stdout, stderr }: CommandResult): void {
  expect(code, stderr).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/usage/i);
}
