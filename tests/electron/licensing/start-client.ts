/** Starts a licensing client on a fake platform against the scripted server. */
import { createLicensingClient } from '../../../electron/licensing/create-licensing-client.ts';
import type { LicensingClient } from '../../../electron/licensing/licensing-client.ts';
import type { FeatureFlag } from '../../../shared/api/features.ts';
import type { Done } from '../../../shared/ipc/result.ts';
import { createFakePlatform, type FakePlatform, settle } from '../fake-platform.ts';
import { licenseKey, type ScriptedServer, scriptServer } from './scripted-server.ts';

export type Desk = {
  readonly platform: FakePlatform;
  readonly server: ScriptedServer;
  readonly client: LicensingClient;
  /** The flags that are on. */
  readonly on: () => FeatureFlag[];
  /** Check now, while the time passes that a quick retry takes. */
  readonly check: () => Promise<Done>;
  /** The same machine after the app was closed and started again. */
  readonly restart: (prepare?: (platform: FakePlatform) => void) => Promise<Desk>;
};

const app = {
  version: '1.0.0',
  platform: 'linux x64',
  runtime: 'browser-host',
  ownInstaller: false,
  links: [],
} as const;

export async function startDesk(platform = createFakePlatform(), server = scriptServer(platform)): Promise<Desk> {
  const client = createLicensingClient({ platform, app, defaultServerAddress: 'http://127.0.0.1:8470' });
  await client.start();
  await settle();
  return {
    platform,
    server,
    client,
    on: () => client.getState().features.flatMap((state) => (state.on ? [state.feature] : [])),
    check: async () => {
      const done = client.syncNow();
      await platform.clock.advance(1000);
      return done;
    },
    restart: async (prepare) => {
      await client.stop();
      const { secrets, plain, clock, http } = platform;
      const again = createFakePlatform({ secretValues: secrets.values, plainValues: plain.values, clock, http });
      prepare?.(again);
      return startDesk(again, server);
    },
  };
}

/** A desk where Ada is signed in and this device is activated. */
export async function startActivatedDesk(): Promise<Desk> {
  const desk = await startSignedInDesk();
  await desk.client.activateLicense({ licenseKey });
  await settle();
  return desk;
}

/** A desk where Ada is signed in and the first check has run. */
export async function startSignedInDesk(): Promise<Desk> {
  const desk = await startDesk();
  await desk.client.signIn({ email: 'ada@lab.org', password: 'correct horse battery' });
  await desk.platform.clock.advance(10);
  return desk;
}
