/** Each planted defect is caught by the history that was found for it, which holds without the defect. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { defects, historyOf, runPlanted } from './defects.ts';
import { runHistory } from './run-history.ts';

describe.each(defects)('the planted defect "$name"', (defect) => {
  it('is caught by a history that holds without it', { timeout: 120_000 }, async () => {
    const file = historyOf(defect);
    const { status, stdout } = spawnSync(...runPlanted(defect, ['--history', file]));
    expect(stdout).toContain('VIOLATION');
    expect(status).toBe(1);
    const { violation, story } = await runHistory(JSON.parse(readFileSync(file, 'utf8')), { days: 30 });
    expect(violation, story.join('\n')).toBeUndefined();
  });
});
