/**
 * The licensing client on its real platform, with the browser host's replacement for Electron. Its command line names a
 * profile folder and the server's address; with an email and a license key it signs in and activates there, otherwise
 * it starts from what is stored, and prints how long it took to determine the device's entitlement.
 */
import { registerHooks } from 'node:module';
import { LicensingClient } from '../../../electron/licensing/licensing-client.ts';
import { seededPassword } from '../seed/seeded-accounts.ts';

const shim = new URL('../../../electron/host/shim/electron.ts', import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' ? { url: shim, shortCircuit: true } : next(specifier, context),
});
const { createPlatform } = await import('../../../electron/platform/create-platform.ts');

// Part of loading the program, which is not measured: the app in Electron uses Electron's network stack instead.
await import('undici');

const [folder = '', defaultServerAddress = '', email, licenseKey] = process.argv.slice(2);
const log = { info: () => undefined, warn: () => undefined };

const startedAt = performance.now();
const platform = await createPlatform({ folder, log, withoutKeyring: 'file' });
const client = new LicensingClient({
  platform,
  app: {
    version: '1.0.0',
    platform: 'linux x64',
    runtime: 'browser-host',
    ownInstallerKnown: false,
    dataFolder: null,
    links: [],
  },
  defaultServerAddress,
});
await client.start();

if (email !== undefined && licenseKey !== undefined) {
  const signedIn = await client.signIn({ email, password: seededPassword });
  if (!signedIn.ok) throw new Error(`the client cannot sign in: ${JSON.stringify(signedIn)}`);
  const activated = await client.activateLicense({ licenseKey });
  if (!activated.ok) throw new Error(`the client cannot activate: ${JSON.stringify(activated)}`);
} else {
  const milliseconds = performance.now() - startedAt;
  const features = client.getState().features.filter(({ on }) => on).length;
  console.log(JSON.stringify({ milliseconds, features }));
}
await client.stop();
