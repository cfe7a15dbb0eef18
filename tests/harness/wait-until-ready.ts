/** Waits for a program that a test has started. */
import { setTimeout as sleep } from 'node:timers/promises';

const maxTries = 1000;

/** Asks the program until it responds. Rejects with the last error after about a minute. */
export async function waitUntilReady(ask: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await ask();
      return;
    } catch (error) {
      if (tries > maxTries) throw error;
    }
    await sleep(50);
  }
}
