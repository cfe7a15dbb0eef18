/** A machine with the licensing client: real sockets and a real clock, in-memory stores. */
import { randomUUID } from 'node:crypto';
import { LicensingClient } from '../../electron/licensing/licensing-client.ts';
import type { Clock, Http, Platform } from '../../electron/licensing/platform.ts';
import { createHttp } from '../../electron/platform/http.ts';
import { createNodeFetch } from '../../electron/platform/node-fetch.ts';
import { createFakePlatform, type FakePlatform } from '../electron/fake-platform.ts';
import { testApp } from '../electron/licensing/start-client.ts';

const systemHttp = createHttp(createNodeFetch({ environment: {}, authorities: [] }));

const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sinceBoot: () => null,
  setTimer: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

export type TestMachine = { readonly client: LicensingClient; readonly fake: FakePlatform };

export type MachineOptions = {
  readonly serverAddress: string;
  readonly name: string;
  /** Another transport, for example one that loses responses. */
  readonly http?: Http;
  /** A machine whose stores are reused. */
  readonly before?: TestMachine;
};

/** Starts the client; the caller stops it. */
export async function startMachine({ serverAddress, name, http, before }: MachineOptions): Promise<TestMachine> {
  const fake = createFakePlatform({
    machineId: name,
    deviceName: name,
    secretValues: before?.fake.secrets.values,
    plainValues: before?.fake.plain.values,
  });
  const random = { ...fake.random, uuid: randomUUID };
  const platform: Platform = { ...fake, clock: realClock, random, http: http ?? systemHttp };
  const client = new LicensingClient({ platform, app: testApp, defaultServerAddress: serverAddress });
  await client.start();
  return { client, fake };
}
