/** Each planted defect is caught by the history that was found for it, which passes without the defect. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { defects, historyOf, runPlanted } from './defects.ts';
import { type History, runHistory } from './run-history.ts';

describe.each(defects.map((defect) => [defect.name, defect] as const))('the planted defect "%s"', (_, defect) => {
  it('is caught by a history that passes without it', { timeout: 300_000 }, async () => {
    const file = historyOf(defect);
    const { status, stdout, stderr } = spawnSync(...runPlanted(defect, ['--history', file]));
    expect(stdout, String(stderr)).toContain('VIOLATION');
    expect(status).toBe(1);
    const history: History = JSON.parse(readFileSync(file, 'utf8'));
    const { violation, story } = await runHistory(history, { days: 30 });
    expect(violation, story.join('\n')).toBeUndefined();
  });
});
