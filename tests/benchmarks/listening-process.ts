/** A server as a process of its own, its log thrown away as fast as it is written. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { childEnvironment, repository, type Settings } from '../harness/environment.ts';

export type ListeningProcess = { readonly url: string; stop(): Promise<void> };

/** Runs a program that prints `listening on URL`; `program` is a path from the repository's root. */
export async function startListening(program: string, settings: Settings): Promise<ListeningProcess> {
  const child = spawn(process.execPath, [program], {
    cwd: repository,
    env: childEnvironment(settings),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^listening on (\S+)$/.exec(line)?.[1];
    if (!url) continue;
    child.stdout.resume();
    return {
      url,
      async stop() {
        child.kill('SIGTERM');
        await ended;
      },
    };
  }
  throw new Error(`${program} ended before it listened`);
}
