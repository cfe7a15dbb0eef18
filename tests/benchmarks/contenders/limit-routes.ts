/** The routes that the endpoints are compared with: a bare one, those that know everything beforehand, one commit a request. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchRun } from '../bench-run.ts';
import { type LoadedRequest, numberMark } from '../load/load.ts';
import type { Contender } from '../measurement.ts';
import { busyAccounts, keyCount } from '../seed/installation.ts';
import { apiKeyOf, deviceIdOf, licenseKeyOf } from '../seed/seeded-accounts.ts';
import { type HttpContender, httpContender, type LoadPart, numbered } from './http-contender.ts';
import { startProgram } from './server-processes.ts';

export function limitRoutes(run: BenchRun): Contender[] {
  const startLimit = (kind: string, makeLines: () => readonly string[]) =>
    run.once(() => {
      const file = join(run.newFolder(), kind);
      writeFileSync(file, makeLines().join('\n'));
      return startProgram(run, 'limit-server.ts', [kind, file]);
    });
  const group = 'sqlite';
  const members = () =>
    numbered(0, busyAccounts.count, (number) => ({
      // As long as an access token.
      token: `${licenseKeyOf(number)}.`.padEnd(430, 'x'),
      licenseKey: licenseKeyOf(number),
      deviceId: deviceIdOf(number),
    }));
  const add = (name: string, server: HttpContender['server'], load: HttpContender['load']) =>
    httpContender(run, { name, group, server, prepare: load, load });
  return [
    add(
      'bare route',
      run.once(() => startProgram(run, 'bare-server.ts')),
      async () => ({ path: '/', requests: [{ body: keyBody(apiKeyOf(0)) }], marker: '"success":true' }),
    ),
    add(
      'key limit route',
      startLimit('keys', () => numbered(0, keyCount, apiKeyOf)),
      async () => ({ path: '/key', requests: validKeyRequests(), marker: '"valid":true' }),
    ),
    add(
      'license limit route',
      startLimit('members', () => members().map(({ token, licenseKey }) => `${token}\t${licenseKey}`)),
      async () => ({
        path: '/license',
        requests: members().map(({ token, ...body }) => ({
          token,
          body: JSON.stringify({ license_key: body.licenseKey, device_id: body.deviceId }),
        })),
        marker: '"valid":true',
      }),
    ),
    httpContender(run, {
      name: 'one commit a request',
      group,
      server: run.once(() => startProgram(run, 'one-commit-server.ts', [run.newFolder()])),
      prepare: async (round) => upsertDevices('a', round),
      load: async (round) => upsertDevices('b', round),
    }),
  ];
}

/** Each request from another device; a mark keeps two loads of a round apart. */
export function upsertDevices(mark: string, round: number): LoadPart {
  return {
    path: '/',
    requests: [{ body: JSON.stringify({ device_id: `HW-${mark}${numberMark}` }) }],
    firstNumber: firstNumberOf(round),
    marker: '"success":true',
  };
}

/** Every key in turn. */
export function validKeyRequests(): LoadedRequest[] {
  return numbered(0, keyCount, (number) => ({ body: keyBody(apiKeyOf(number)) }));
}

export function keyBody(apiKey: string): string {
  return JSON.stringify({ api_key: apiKey });
}

/** No two rounds use the same numbers. */
export function firstNumberOf(round: number): number {
  return round * 10_000_000;
}
