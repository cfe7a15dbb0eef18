/** Puts server processes under load, and measures their resource usage. */
import { readCoreTicks, readCpuSeconds, waitUntilIdle } from '../measured-process.ts';
import type { Sample } from '../measurement.ts';
import type { Load } from './load.ts';
import { runLoad } from './run-load.ts';

/** A load and the process that answers it. */
export type LoadedProcess = { readonly pid: number; readonly load: Load };

/** Runs the loads concurrently, and measures them as if they were one. Throws `WrongResponse`. */
export async function measureLoads(targets: readonly LoadedProcess[]): Promise<Sample> {
  const readCpu = () => sum(targets.map(({ pid }) => readCpuSeconds(pid)));
  // An earlier load leaves requests behind whose clients are gone.
  await Promise.all(targets.map(({ pid }) => waitUntilIdle(pid)));
  const [cpuBefore, coresBefore] = [readCpu(), readCoreTicks()];
  const results = await Promise.all(targets.map(({ load }) => runLoad(load)));
  const [cpuSeconds, coresAfter] = [readCpu() - cpuBefore, readCoreTicks()];
  const responses = sum(results.map((result) => result.responses));
  const worst = (name: 'p50Ms' | 'p99Ms' | 'p999Ms') => Math.max(...results.map((result) => result[name]));
  return {
    cpuMicros: (cpuSeconds * 1e6) / responses,
    perCpuSecond: responses / cpuSeconds,
    perSecond: sum(results.map((result) => result.responses / result.seconds)),
    p50Ms: worst('p50Ms'),
    p99Ms: worst('p99Ms'),
    p999Ms: worst('p999Ms'),
    ...(coresBefore && coresAfter ? { coresBusy: busyShare(coresBefore, coresAfter) } : {}),
  };
}

type CoreTicks = NonNullable<ReturnType<typeof readCoreTicks>>;

function busyShare(before: CoreTicks, after: CoreTicks): number {
  return (after.busy - before.busy) / Math.max(1, after.total - before.total);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
