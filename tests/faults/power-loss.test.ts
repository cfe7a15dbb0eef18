/**
 * Row 2 of the matrix: the power fails while two processes write to SQLite; what was acknowledged is there afterwards,
 * and nothing is damaged.
 */
import { randomInt } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../server/clock.ts';
import { openSqlite } from '../../server/database/sqlite-database.ts';
import { repository } from '../harness/environment.ts';
import { removeFolder } from '../harness/temporary-folder.ts';
import { temporaryFolder } from '../harness/test-admin.ts';
import { amount, reportFigures, rowTimeout } from './matrix-run.ts';
import { losePower } from './power-loss/power-loss.ts';
import { type Acknowledged, acknowledgedFile, findBrokenPromises, writesOfEach } from './power-loss/promises.ts';
import { findRecordingProblem, type Recording, record } from './power-loss/recording.ts';

const row = 2;
const timeoutMs = rowTimeout();
/** Enough to detect that the sync is missing. */
const powerLossesWithoutSync = 300;

const problem = findRecordingProblem();

describe.skipIf(problem !== undefined)(`a power loss${problem ? ` (skipped: ${problem})` : ''}`, () => {
  it(
    'loses nothing that was acknowledged, and damages nothing',
    async () => {
      const { recording, before } = await recordWriters('synced');
      expect(recording.lines.length).toBe(2 * 3 * writesOfEach);
      const checkpoints = recording.syncs.filter(({ path }) => path.endsWith('.db'));
      expect(checkpoints.length).toBeGreaterThan(5);
      expect(findFindings(recording, before, amount(row))).toEqual([]);
      const { changes, lines, syncs } = recording;
      const figures = { 'writes recorded': changes.length, syncs: syncs.length, acknowledgements: lines.length };
      reportFigures(row, { amount: `${amount(row)} images`, figures });
    },
    timeoutMs,
  );

  it(
    'loses acknowledged writes without syncs of the log, so that this test can detect it',
    async () => {
      const { recording, before } = await recordWriters('unsynced');
      const findings = findFindings(recording, before, powerLossesWithoutSync).length;
      expect(findings).toBeGreaterThan(0);
      const figures = { [`losses found in ${powerLossesWithoutSync} images without the sync`]: findings };
      reportFigures(row, { amount: `${amount(row)} images`, figures });
    },
    timeoutMs,
  );
});

async function recordWriters(mode: 'synced' | 'unsynced') {
  const folder = temporaryFolder();
  const path = join(folder, 'latchkey.db');
  await (await openSqlite(path, systemClock)).close();
  const before = new Map([[path, readFileSync(path)]]);
  const program = join(repository, 'tests/faults/power-loss/writer.ts');
  const writers = ['one', 'two'].map((name) => [process.execPath, program, path, name, mode]);
  return { recording: await record(writers, folder, acknowledgedFile(path)), before };
}

/** Returns what is wrong after power losses at random times. */
function findFindings(recording: Recording, before: ReadonlyMap<string, Buffer>, powerLosses: number): string[] {
  const parent = temporaryFolder();
  return Array.from({ length: powerLosses }).flatMap((_, index) => {
    const at = randomInt(recording.endedAt) + 1;
    const keptPercent = [0, 20, 50, 80, 95, 100][index % 6] ?? 0;
    const folder = join(parent, String(index));
    mkdirSync(folder);
    losePower(recording, before, { at, keptPercent, folder });
    const findings = findBrokenPromises(join(folder, 'latchkey.db'), acknowledgedBefore(recording, at));
    removeFolder(folder);
    return findings.map((finding) => `at line ${at} of ${recording.endedAt}, ${keptPercent} % kept: ${finding}`);
  });
}

function acknowledgedBefore({ lines }: Recording, at: number): Acknowledged {
  const counts = new Map<string, number>();
  for (const { text, writtenAt } of lines) {
    const [client = '', count] = text.split(' ');
    if (writtenAt < at) counts.set(client, Number(count));
  }
  return counts;
}
