/** Admin commands in a test: on a folder that goes with the test, and what each outcome has to look like. */
import { expect, onTestFinished } from 'vitest';
import { Admin, type CommandResult } from './admin.ts';
import type { Settings } from './environment.ts';
import { sentence } from './response-shapes.ts';
import { makeTemporaryFolder, removeFolder } from './temporary-folder.ts';
import type { Json } from './test-server.ts';

/** The admin commands of one test, on a data folder that is removed after it, or on one that is given. */
export function createAdmin(settings: Settings = {}, folder: string = temporaryFolder()): Admin {
  return new Admin(folder, settings);
}

/** A folder that is removed when the test is over. */
export function temporaryFolder(): string {
  const folder = makeTemporaryFolder();
  onTestFinished(() => removeFolder(folder));
  return folder;
}

/** It succeeded: one JSON document on stdout, nothing on stderr. */
export function expectDocument<T = Json>({ code, stdout, stderr }: CommandResult): T {
  expect(code, stderr).toBe(0);
  expect(stderr).toBe('');
  return JSON.parse(stdout) as T;
}

/** It failed: `{error, code}` on stderr, nothing on stdout, exit code 1. */
export function expectFailure({ code, stdout, stderr }: CommandResult, failure: string): void {
  expect(code, stderr).toBe(1);
  expect(stdout).toBe('');
  expect(JSON.parse(stderr)).toStrictEqual({ error: sentence, code: failure });
}

/** It was not understood: the usage on stderr, nothing on stdout, exit code 2. */
export function expectUsage({ code, stdout, stderr }: CommandResult): void {
  expect(code, stderr).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/usage/i);
}
