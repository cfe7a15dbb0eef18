/** Starts a licensing client on a fake platform against the scripted server. */
import type { PinnedLeaseKeys } from '../../../electron/licensing/lease-keys.ts';
import { LicensingClient } from '../../../electron/licensing/licensing-client.ts';
import type { Done } from '../../../shared/ipc/result.ts';
import { createFakePlatform, type FakePlatform, settle } from '../fake-platform.ts';
import { licenseKey, ScriptedServer } from './scripted-server.ts';

export type TestClient = {
  readonly platform: FakePlatform;
  readonly server: ScriptedServer;
  readonly client: LicensingClient;
  /** The names of the features that are on. */
  readonly on: () => string[];
  /** Syncs now and lets the time of a quick retry pass. */
  readonly sync: () => Promise<Done>;
  /** Closes the app and starts it again on the same machine. */
  readonly restart: (
    prepare?: (platform: FakePlatform) => void,
    defaultServerAddress?: string | null,
    trustedLeaseKeys?: PinnedLeaseKeys,
    serverAddress?: string,
  ) => Promise<TestClient>;
};

export const testApp = {
  version: '1.0.0',
  platform: 'linux x64',
  runtime: 'browser-host',
  ownInstallerKnown: false,
  dataFolder: null,
  links: [],
} as const;

export async function startTestClient(
  platform = createFakePlatform(),
  server = new ScriptedServer(platform),
  defaultServerAddress: string | null = 'http://127.0.0.1:8470',
  trustedLeaseKeys?: PinnedLeaseKeys,
  serverAddress?: string,
): Promise<TestClient> {
  const pinned = trustedLeaseKeys === undefined ? {} : { trustedLeaseKeys };
  const named = serverAddress === undefined ? {} : { serverAddress };
  const client = new LicensingClient({ platform, app: testApp, defaultServerAddress, ...pinned, ...named });
  await client.start();
  await settle();
  return {
    platform,
    server,
    client,
    on: () => client.getState().features.flatMap((state) => (state.on ? [state.feature] : [])),
    sync: async () => {
      const done = client.syncNow();
      await platform.clock.advance(1000);
      return done;
    },
    restart: async (prepare, nextDefaultAddress, nextKeys, nextServerAddress) => {
      await client.stop();
      const { secrets, plain, clock, http } = platform;
      const again = createFakePlatform({ secretValues: secrets.values, plainValues: plain.values, clock, http });
      prepare?.(again);
      return startTestClient(
        again,
        server,
        nextDefaultAddress === undefined ? defaultServerAddress : nextDefaultAddress,
        nextKeys ?? trustedLeaseKeys,
        nextServerAddress,
      );
    },
  };
}

/** Starts with Ada signed in and this device activated. */
export async function startActivated(): Promise<TestClient> {
  const testClient = await startSignedIn();
  await testClient.client.activateLicense({ licenseKey });
  await settle();
  return testClient;
}

/** Starts with Ada signed in, after the first sync. */
export async function startSignedIn(): Promise<TestClient> {
  const testClient = await startTestClient();
  await testClient.client.signIn({ email: 'ada@lab.org', password: 'correct horse battery' });
  await testClient.platform.clock.advance(10);
  return testClient;
}

/** Returns the name of the document that stores the only account's license. */
export function licenseDocumentName({ secrets }: FakePlatform): string {
  const names = [...secrets.values.keys()].filter((name) => /^license-[0-9a-f]{32}$/.test(name));
  if (names.length !== 1) throw new Error(`There are ${names.length} license documents.`);
  return names.join();
}
