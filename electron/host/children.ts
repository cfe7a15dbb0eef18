/** The programs that `npm start` has started, and their end. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';

/** A Ctrl-C in a terminal reaches them as well; so long they have to end by themselves. */
const byThemselvesMs = 1_500;
const inGoodOrderMs = 12_000;

export type Children = {
  readonly start: (command: string, parameters: readonly string[], options: SpawnOptions) => ChildProcess;
  /** Ends every one of them, by its process id. */
  readonly end: (how: 'told-already' | 'tell') => Promise<void>;
};

/** Keeps account of what was started. */
export function createChildren(): Children {
  const running = new Set<ChildProcess>();
  const allEnded = async () => {
    while (running.size > 0) await wait(25);
  };
  const signalAll = (signal: NodeJS.Signals) => {
    for (const child of running) child.kill(signal);
  };
  return {
    start: (command, parameters, options) => {
      const child = spawn(command, parameters, options);
      running.add(child);
      child.once('exit', () => running.delete(child));
      child.once('error', () => running.delete(child));
      return child;
    },
    end: async (how) => {
      const ended = allEnded();
      if (how === 'told-already') await Promise.race([ended, wait(byThemselvesMs)]);
      signalAll('SIGTERM');
      await Promise.race([ended, wait(inGoodOrderMs)]);
      signalAll('SIGKILL');
    },
  };
}

/** The first line of the child's output that the pattern matches; rejects where it ends before. */
export function lineOf(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      const match = pattern.exec(text);
      if (match) resolve(match[0]);
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`it ended with ${code ?? signal}`)));
  });
}
