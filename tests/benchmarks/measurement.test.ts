/** Rows are compared round by round, and a goal is met only on the correct side of its bound. */
import { describe, expect, it } from 'vitest';
import { BenchRun } from './bench-run.ts';
import { allContenders } from './contenders/all-contenders.ts';
import { goals } from './goals.ts';
import { judgeGoal, type Sample } from './measurement.ts';

const perSecond = (...numbers: number[]): Sample[] => numbers.map((number) => ({ perSecond: number }));

describe('judgeGoal', () => {
  it('divides within each round, so that a slow round does not count', () => {
    const samples = new Map([
      ['ours', perSecond(50, 5, 60)],
      ['bare', perSecond(100, 10, 100)],
    ]);
    const judged = judgeGoal('ours', { figure: 'perSecond', against: 'bare', atLeast: 0.5 }, samples);
    expect(judged).toMatchObject({ measured: { median: 0.5, low: 0.5, high: 0.6 }, isMet: true });
  });

  it('subtracts if the goal says so', () => {
    const samples = new Map<string, Sample[]>([
      ['ours', [{ p99Ms: 9 }, { p99Ms: 12 }, { p99Ms: 3 }]],
      ['bare', [{ p99Ms: 4 }, { p99Ms: 4 }, { p99Ms: 4 }]],
    ]);
    const goal = { figure: 'p99Ms', against: 'bare', isDifference: true, atMost: 5 } as const;
    expect(judgeGoal('ours', goal, samples)).toMatchObject({ measured: { median: 5, low: -1, high: 8 }, isMet: true });
    expect(judgeGoal('ours', { ...goal, atMost: 4 }, samples)?.isMet).toBe(false);
  });

  it('judges an upper bound in the opposite direction', () => {
    const samples = new Map([['start', [{ milliseconds: 60 }]]]);
    expect(judgeGoal('start', { figure: 'milliseconds', atMost: 50 }, samples)?.isMet).toBe(false);
    expect(judgeGoal('start', { figure: 'milliseconds', atMost: 60 }, samples)?.isMet).toBe(true);
  });

  it('returns nothing if one side was not measured', () => {
    const goal = { figure: 'perSecond', against: 'bare', atLeast: 1 } as const;
    expect(judgeGoal('ours', goal, new Map([['ours', perSecond(1)]]))).toBeUndefined();
    expect(judgeGoal('ours', goal, new Map([['bare', perSecond(1)]]))).toBeUndefined();
  });

  it('also accepts busy cores if the goal says so', () => {
    const samples = new Map<string, Sample[]>([
      ['two', [{ perSecond: 120, coresBusy: 0.97 }]],
      ['one', perSecond(100)],
    ]);
    const goal = { figure: 'perSecond', against: 'one', atLeast: 1.8 } as const;
    expect(judgeGoal('two', goal, samples)?.isMet).toBe(false);
    expect(judgeGoal('two', { ...goal, orCoresBusy: 0.95 }, samples)).toMatchObject({ isMet: true, coresBusy: 0.97 });
    expect(judgeGoal('two', { ...goal, orCoresBusy: 0.98 }, samples)?.isMet).toBe(false);
    samples.set('one', perSecond(130));
    expect(judgeGoal('two', { ...goal, orCoresBusy: 0.95 }, samples)?.isMet).toBe(false);
  });
});

it('every goal belongs to a row and compares it with an existing one, and every name can be given to --only', () => {
  const run = new BenchRun({ rounds: 1, seconds: 1, connections: 1, full: true }, () => undefined);
  const names = allContenders(run).map(({ name }) => name);
  const named = Object.entries(goals).flatMap(([name, list]) => [
    name,
    ...list.flatMap(({ against }) => against ?? []),
  ]);
  expect(named.filter((name) => !names.includes(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => name.includes(','))).toEqual([]);
});
