/**
 * The real server and several real clients in histories of failures: new ones each time, those that once found a bug,
 * and one for each planted defect.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isQuick } from '../run/long-tests.ts';
import { defects } from './defects.ts';
import { type History, runHistory, someHistory } from './run-history.ts';

const days = 30;
const newSeedsMs = isQuick ? 5_000 : 60_000;

const seeds = globSync('seeds/*.json', { cwd: import.meta.dirname }).sort();

describe('a history', () => {
  it('with any seed keeps every invariant', async () => {
    const property = fc.asyncProperty(someHistory({ devices: 6, steps: 40 }), async (history) => {
      const { violation, story } = await runHistory(history, { days });
      expect(violation, story.join('\n')).toBeUndefined();
    });
    const endMs = performance.now() + newSeedsMs;
    // Each with a new seed. The limit of fast-check itself would fail a machine that needs it for the first history.
    do await fc.assert(property, { numRuns: 1 });
    while (performance.now() < endMs);
  });

  it('takes the same course in every run', async () => {
    const [history] = fc.sample(someHistory({ devices: 6, steps: 30 }), { numRuns: 1 });
    const [one, other] = [
      await runHistory(history as History, { days }),
      await runHistory(history as History, { days }),
    ];
    expect(other.story).toStrictEqual(one.story);
    expect(other.traceHash).toBe(one.traceHash);
  });

  it.each(seeds)('that once found a bug passes: %s', async (file) => {
    const { history } = JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8'));
    const { violation, story } = await runHistory(history, { days });
    expect(violation, story.join('\n')).toBeUndefined();
  });
});

describe('a planted defect', () => {
  it.each(defects)('can still be planted: $name', ({ file, from }) => {
    expect(readFileSync(join(import.meta.dirname, '../..', file), 'utf8')).toContain(from);
  });
});
