/** Servers that others might have written or installed instead of this one. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchRun } from '../bench-run.ts';
import type { Contender } from '../measurement.ts';
import { deviceIdOf, licenseKeyOf } from '../seed/seeded-accounts.ts';
import { installComparedPackages } from '../servers/compared-packages.ts';
import { keyBody } from './bare-routes.ts';
import { type HttpContender, httpContender, numbered } from './http-contender.ts';
import { startProgram } from './server-processes.ts';
import { signInConnections } from './sign-ins.ts';
import { signInRequest } from './sqlite-endpoints.ts';

const betterAuthKeys = 2_000;
const busyUsers = 2_000;
const refreshingUsers = 1_000;

export function comparedServers(run: BenchRun): Contender[] {
  return [betterAuth(run), ...expressServer(run)];
}

function betterAuth(run: BenchRun): Contender {
  const started = run.once(async () => {
    installComparedPackages();
    const folder = run.newFolder();
    const server = await startProgram(run, 'better-auth-server.ts', [folder, String(betterAuthKeys)]);
    return { server, keys: readLines(join(folder, 'keys')) };
  });
  const validateKeys = async () => ({
    path: '/',
    requests: (await started()).keys.map((key) => ({ body: keyBody(key) })),
    marker: '"valid":true',
  });
  return httpContender(run, {
    name: 'better-auth: key validation',
    group: 'compared',
    server: async () => (await started()).server,
    prepare: validateKeys,
    load: validateKeys,
  });
}

function expressServer(run: BenchRun): Contender[] {
  const started = run.once(async () => {
    installComparedPackages();
    const folder = run.newFolder();
    const users = busyUsers + refreshingUsers * (run.effort.rounds + 1);
    const server = await startProgram(run, 'express-server.ts', [folder, String(users)]);
    const tokens = readLines(join(folder, 'tokens')).map((line) => line.split('\t'));
    return { server, tokens };
  });
  const add = (name: string, load: HttpContender['load'], prepare?: HttpContender['prepare']) =>
    httpContender(run, {
      name: `Express: ${name}`,
      group: 'compared',
      server: async () => (await started()).server,
      load,
      ...(prepare && { prepare }),
    });
  const addPrepared = (name: string, load: HttpContender['load']) => add(name, load, load);
  const busy = async (body?: (number: number) => object) => {
    const { tokens } = await started();
    return numbered(0, busyUsers, (number) => ({
      token: tokens[number]?.[0] ?? '',
      ...(body && { body: JSON.stringify(body(number)) }),
    }));
  };
  const readStatus = async () => ({
    path: '/status',
    method: 'GET' as const,
    requests: await busy(),
    marker: '"has_subscription":true',
  });
  return [
    add('sign-in', async () => ({
      path: '/login',
      requests: numbered(0, busyUsers, signInRequest),
      connections: signInConnections,
      marker: '"access_token":"',
    })),
    addPrepared('subscription status', readStatus),
    addPrepared('license validation', async () => ({
      path: '/license/validate',
      requests: await busy((number) => ({ license_key: licenseKeyOf(number), device_id: deviceIdOf(number) })),
      marker: '"valid":true',
    })),
    addPrepared('heartbeat', async () => ({
      path: '/heartbeat',
      requests: await busy((number) => ({ device_id: deviceIdOf(number) })),
      marker: '"success":true',
    })),
    add(
      'refresh',
      async (round) => ({
        path: '/refresh',
        requests: (await started()).tokens
          .slice(busyUsers + round * refreshingUsers, busyUsers + (round + 1) * refreshingUsers)
          .map(([, refreshToken]) => ({ body: JSON.stringify({ refresh_token: refreshToken }) })),
        carry: 'refresh_token',
        marker: '"access_token":"',
      }),
      readStatus,
    ),
  ];
}

function readLines(file: string): string[] {
  return readFileSync(file, 'utf8').split('\n');
}
