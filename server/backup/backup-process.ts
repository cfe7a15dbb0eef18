/**
 * The process that writes and proves one backup for the server, since reading the whole database would keep the server
 * itself from responding. It ends when the backup is done, when the server ends, and on SIGTERM.
 */

import { systemClock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { Config } from '../settings/config.ts';
import { type Proof, type WrittenBackup, writeBackup } from './take-backup.ts';
import { proofBy } from './verify-backup.ts';

export type BackupOrder = { readonly config: Config; readonly file: string };

export type BackupOutcome =
  /** `proofMs`: how long proving it took. */
  { readonly written: WrittenBackup; readonly proofMs: number } | { readonly problem: string };

// Exiting removes the temporary folders.
process.once('disconnect', () => process.exit(1));
process.once('SIGTERM', () => process.exit(1));
// Ctrl-C reaches every process of the terminal, but the server decides when this one stops.
process.on('SIGINT', () => undefined);

process.once('message', (order: BackupOrder) => {
  void carryOut(order).then((outcome) => process.send?.(outcome, () => process.exit(0)));
});

async function carryOut({ config, file }: BackupOrder): Promise<BackupOutcome> {
  try {
    const input = { config, clock: systemClock, file, force: false };
    const prove = proofBy(config, systemClock);
    let proofMs = 0;
    const timed: Proof = async (...archive) => {
      const startedMs = performance.now();
      await prove(...archive);
      proofMs = Math.round(performance.now() - startedMs);
    };
    return { written: await writeBackup(input, timed), proofMs };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}
