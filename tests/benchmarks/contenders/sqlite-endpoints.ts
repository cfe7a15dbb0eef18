/** The endpoints of the service on SQLite, with the default limits, checks, headers and log. */
import type { BenchRun } from '../bench-run.ts';
import { type LoadedRequest, numberMark } from '../load/load.ts';
import type { Contender } from '../measurement.ts';
import {
  activatingAccounts,
  busyAccounts,
  growingAccounts,
  type Installation,
  refreshingAccounts,
  type Slice,
} from '../seed/installation.ts';
import { deviceIdOf, emailOf, licenseKeyOf, refreshTokenOf, seededPassword } from '../seed/seeded-accounts.ts';
import { firstNumberOf, validKeyRequests } from './bare-routes.ts';
import { type HttpContender, httpContender, numbered, pathOf } from './http-contender.ts';

export function sqliteEndpoints(run: BenchRun, installation: () => Promise<Installation>): Contender[] {
  const add = (name: string, loads: Pick<HttpContender, 'load' | 'prepare'>) =>
    httpContender(run, { name, group: 'sqlite', server: async () => (await installation()).server, ...loads });
  /** Returns a request for each account of the slice. */
  const signedIn = async ({ first, count }: Slice, body: (number: number) => object): Promise<LoadedRequest[]> => {
    const { accessTokens } = await installation();
    return numbered(first, count, (number) => ({
      token: accessTokens[number] ?? '',
      body: JSON.stringify(body(number)),
    }));
  };

  const validateKeys = async () => ({
    path: pathOf('validateApiKey'),
    requests: validKeyRequests(),
    marker: '"valid":true',
  });
  const validateLicense = async (slice: Slice) => ({
    path: pathOf('validateLicense'),
    requests: await signedIn(slice, (number) => ({ license_key: licenseKeyOf(number), device_id: deviceIdOf(number) })),
    marker: '"valid":true',
  });
  const readStatus = async (slice: Slice) => ({
    path: pathOf('subscriptionStatus'),
    method: 'GET' as const,
    requests: (await signedIn(slice, () => ({}))).map(({ token = '' }) => ({ token })),
    marker: '"has_subscription":true',
  });
  const reportSeenDevices = async () => ({
    path: pathOf('heartbeat'),
    requests: await signedIn(busyAccounts, (number) => ({ device_id: deviceIdOf(number) })),
    marker: '"success":true',
  });

  return [
    add('key validation', { prepare: validateKeys, load: validateKeys }),
    add('license validation', {
      prepare: () => validateLicense(busyAccounts),
      load: () => validateLicense(busyAccounts),
    }),
    add('subscription status', { prepare: () => readStatus(busyAccounts), load: () => readStatus(busyAccounts) }),
    add('heartbeat within the minute', { prepare: reportSeenDevices, load: reportSeenDevices }),
    // Only the device is new: its user has used the app before.
    add('heartbeat of a new device', {
      prepare: () => readStatus(growingAccounts),
      load: async (round) => ({
        path: pathOf('heartbeat'),
        requests: await signedIn(growingAccounts, () => ({ device_id: newDeviceOf('0') })),
        firstNumber: firstNumberOf(round),
        marker: '"success":true',
      }),
    }),
    add('refresh', {
      prepare: (round) => readStatus(refreshingAccounts(round)),
      load: async (round) => ({
        path: pathOf('refresh'),
        requests: numbered(refreshingAccounts(round).first, refreshingAccounts(round).count, (number) => ({
          body: JSON.stringify({ refresh_token: refreshTokenOf(number) }),
        })),
        carry: 'refresh_token',
        marker: '"access_token":"',
      }),
    }),
    // After a validation, like in the desktop app.
    add('activation', {
      prepare: (round) => validateLicense(activatingAccounts(run, round)),
      load: async (round) => ({
        path: pathOf('activateLicense'),
        requests: await signedIn(activatingAccounts(run, round), (number) => ({
          license_key: licenseKeyOf(number),
          device_id: newDeviceOf('1'),
          device_name: 'Office computer',
          platform: 'linux',
        })),
        firstNumber: firstNumberOf(round),
        marker: '"success":true',
      }),
    }),
  ];
}

export function signInRequest(number: number): { readonly body: string } {
  return { body: JSON.stringify({ email: emailOf(number), password: seededPassword }) };
}

/** Returns a device id with the mark of the load. */
export function newDeviceOf(load: string): string {
  return `HW-00000000-00000000-${load.padStart(8, '0')}-${numberMark}`;
}
