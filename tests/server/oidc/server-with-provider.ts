/** A provider and a server of one test. */
import { onTestFinished } from 'vitest';
import type { Settings } from '../../harness/environment.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';
import { type ForgedProvider, openForgedProvider } from '../../harness/forged-provider.ts';
import { type OidcProvider, type OidcProviderOptions, openOidcProvider } from '../../harness/oidc-provider.ts';
import { startApp, type TestApp } from '../../harness/start-app.ts';
import { removeFolder } from '../../harness/temporary-folder.ts';

/** At the time of the provider, which is the system's. */
export async function startWithProvider(settings: Settings): Promise<TestApp> {
  const server = await startApp(settings, { clock: createFakeClock(Date.now()) });
  onTestFinished(async () => {
    await server.stop();
    removeFolder(server.dataFolder);
  });
  return server;
}

/** The provider of one test. */
export async function startOidcProvider(options: OidcProviderOptions = {}): Promise<OidcProvider> {
  const provider = await openOidcProvider(options);
  onTestFinished(provider.stop);
  return provider;
}

/** The lying provider of one test. */
export async function startForgedProvider(): Promise<ForgedProvider> {
  const provider = await openForgedProvider();
  onTestFinished(provider.stop);
  return provider;
}
