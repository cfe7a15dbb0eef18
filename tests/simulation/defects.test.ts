/** Each planted defect is caught by the history that was found for it, which passes without the defect. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { defects, historyOf, runPlanted } from './defects.ts';
import { type History, runHistory } from './run-history.ts';

/** Longer histories take a minute or two each, and run only with TEST_DEFECTS=all. */
const maxActions = process.env.TEST_DEFECTS === 'all' ? Number.POSITIVE_INFINITY : 30;

describe.each(defects)('the planted defect "$name"', (defect) => {
  const file = historyOf(defect);
  const history: History = JSON.parse(readFileSync(file, 'utf8'));

  it.skipIf(history.actions.length > maxActions)(
    'is caught by a history that passes without it',
    {
      timeout: 300_000,
    },
    async () => {
      const { status, stdout } = spawnSync(...runPlanted(defect, ['--history', file]));
      expect(stdout).toContain('VIOLATION');
      expect(status).toBe(1);
      const { violation, story } = await runHistory(history, { days: 30 });
      expect(violation, story.join('\n')).toBeUndefined();
    },
  );
});
