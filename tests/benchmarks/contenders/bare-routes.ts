/** The routes with which the endpoints are compared: a bare one, and one with a commit for each request. */
import type { BenchRun } from '../bench-run.ts';
import { type LoadedRequest, numberMark } from '../load/load.ts';
import type { Contender } from '../measurement.ts';
import { keyCount } from '../seed/installation.ts';
import { apiKeyOf } from '../seed/seeded-accounts.ts';
import { httpContender, type LoadPart, numbered } from './http-contender.ts';
import { startProgram } from './server-processes.ts';

export function bareRoutes(run: BenchRun): Contender[] {
  const group = 'sqlite';
  const loadBare = async (): Promise<LoadPart> => ({
    path: '/',
    requests: [{ body: keyBody(apiKeyOf(0)) }],
    marker: '"success":true',
  });
  return [
    httpContender(run, {
      name: 'bare route',
      group,
      server: run.once(() => startProgram(run, 'bare-server.ts')),
      prepare: loadBare,
      load: loadBare,
    }),
    httpContender(run, {
      name: 'one commit a request',
      group,
      server: run.once(() => startProgram(run, 'one-commit-server.ts', [run.newFolder()])),
      prepare: async (round) => upsertDevices('a', round),
      load: async (round) => upsertDevices('b', round),
    }),
  ];
}

/** Returns requests that are each from another device; a mark separates two loads of a round. */
export function upsertDevices(mark: string, round: number): LoadPart {
  return {
    path: '/',
    requests: [{ body: JSON.stringify({ device_id: `HW-${mark}${numberMark}` }) }],
    firstNumber: firstNumberOf(round),
    marker: '"success":true',
  };
}

/** Returns a request for every key. */
export function validKeyRequests(): LoadedRequest[] {
  return numbered(0, keyCount, (number) => ({ body: keyBody(apiKeyOf(number)) }));
}

export function keyBody(apiKey: string): string {
  return JSON.stringify({ api_key: apiKey });
}

/** Returns the first number of a round; no two rounds use the same numbers. */
export function firstNumberOf(round: number): number {
  return round * 10_000_000;
}
