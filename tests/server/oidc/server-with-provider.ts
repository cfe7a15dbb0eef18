/** Starts an identity provider and a server for one test. */
import { onTestFinished } from 'vitest';
import type { Settings } from '../../harness/environment.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';
import { type ForgedProvider, openForgedProvider } from '../../harness/forged-provider.ts';
import { type OidcProvider, type OidcProviderOptions, openOidcProvider } from '../../harness/oidc-provider.ts';
import { startApp, type TestApp } from '../../harness/start-app.ts';
import { removeFolder } from '../../harness/temporary-folder.ts';

/** Starts a server whose clock begins at the provider's time, which is the system time. */
export async function startWithProvider(settings: Settings): Promise<TestApp> {
  const server = await startApp(settings, { clock: createFakeClock(Date.now()) });
  onTestFinished(async () => {
    await server.stop();
    removeFolder(server.dataFolder);
  });
  return server;
}

/** Starts an identity provider for one test. */
export async function startOidcProvider(options: OidcProviderOptions = {}): Promise<OidcProvider> {
  const provider = await openOidcProvider(options);
  onTestFinished(provider.stop);
  return provider;
}

/** Starts a provider that forges its responses for one test. */
export async function startForgedProvider(): Promise<ForgedProvider> {
  const provider = await openForgedProvider();
  onTestFinished(provider.stop);
  return provider;
}
