/** Starts the real server as a process, on the data folder of a test. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { apiRoot } from '../../shared/api/endpoints.ts';
import { childEnvironment, repository } from './run-admin.ts';

export type Answer = { readonly status: number; readonly body: Readonly<Record<string, unknown>> };

export type RunningServer = {
  /** Posts to a path below `/api/v1`, or gets it where there is no body. */
  call(path: string, body?: unknown, token?: string): Promise<Answer>;
  /** Asks it to stop and waits until it has. */
  stop(): Promise<void>;
};

const withoutLimits = Object.fromEntries(
  ['LOGIN', 'SIGNUP', 'LICENSE', 'KEY_VALIDATE', 'DEFAULT'].map((bucket) => [`LATCHKEY_RATE_${bucket}`, '0']),
);

/** Resolves once it listens; it is stopped when the test is over. */
export async function startServer(
  dataFolder: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<RunningServer> {
  const settings = { ...withoutLimits, LATCHKEY_DATA: dataFolder, LATCHKEY_PORT: '0', LATCHKEY_LOG_LEVEL: 'error' };
  const child = spawn(process.execPath, [join(repository, 'server/main.ts')], {
    env: childEnvironment({ ...settings, ...environment }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => stop(child));
  const [line] = await Promise.race([once(child.stdout.setEncoding('utf8'), 'data'), failed(child)]);
  const root = `${String(line).trim().replace('listening on ', '')}${apiRoot}`;
  return { call: (path, body, token) => call(`${root}${path}`, body, token), stop: () => stop(child) };
}

async function failed(child: ChildProcess): Promise<never> {
  await once(child, 'close');
  throw new Error('the server has stopped');
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'close');
}

async function call(url: string, body: unknown, token: string | undefined): Promise<Answer> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}
