/** Starts the whole client with Ada signed in at a server that signs leases. */
import type { PinnedLeaseKeys } from '../../../electron/licensing/lease-keys.ts';
import { type Features, features } from '../../../shared/api/features.ts';
import { previewLicenseKey } from '../../../shared/formats/license-key.ts';
import { seededPlans } from '../../../shared/seeded-features.ts';
import { createFakePlatform, type Reply, settle } from '../fake-platform.ts';
import { LeaseSigner } from './lease-signer.ts';
import { licenseKey, ScriptedServer } from './scripted-server.ts';
import { licenseDocumentName, startTestClient, type TestClient } from './start-client.ts';

export const dayMs = 86_400_000;

type Options = {
  /** Whether the app has the server's keys built in. */
  readonly pinned?: boolean;
  readonly ttlSeconds?: number;
};

export type Leased = TestClient & { readonly signer: LeaseSigner };

/** Starts with Ada signed in at a server that signs leases. */
export async function startSignedIn({ pinned = false, ttlSeconds = 14 * 86_400 }: Options = {}): Promise<Leased> {
  const platform = createFakePlatform();
  const server = new ScriptedServer(platform);
  const signer = new LeaseSigner('lease-1', ttlSeconds);
  server.leases = signer;
  const keys = pinned ? pin(signer) : undefined;
  const testClient = await startTestClient(platform, server, 'http://127.0.0.1:8470', keys);
  await testClient.client.signIn({ email: 'ada@lab.org', password: 'right' });
  await platform.clock.advance(10);
  return { ...testClient, signer };
}

/** The same, with this device activated. */
export async function startLeased(options: Options = {}): Promise<Leased> {
  const testClient = await startSignedIn(options);
  await testClient.client.activateLicense({ licenseKey });
  await settle();
  return testClient;
}

export function pin(...signers: readonly LeaseSigner[]): PinnedLeaseKeys {
  return { from: 'built-in', keys: signers.map(({ jwk }) => jwk) };
}

/** Requests the next lease and lets the time of a quick retry pass. */
export async function renew({ client, platform }: TestClient) {
  const renewed = client.renewLease();
  await platform.clock.advance(1000);
  return renewed;
}

export const leasesAsked = ({ platform }: TestClient) => platform.http.to('/license/lease').length;

export function storedFacts(testClient: TestClient) {
  return JSON.parse(testClient.platform.secrets.values.get(licenseDocumentName(testClient.platform)) ?? '{}').facts;
}

export function aboutReply(leases: boolean): Reply {
  return { json: { sign_up: 'open', password_min_length: 8, mail: true, leases, account_page: true } };
}

/** The claims of a lease for Ada on this device. */
export function about({ client, server }: TestClient, more: { sub?: string; features?: Features } = {}) {
  const device_id = client.getState().thisDevice?.deviceId ?? '';
  return {
    sub: server.user.id,
    device_id,
    license: previewLicenseKey(licenseKey),
    plan: 'standard',
    features: features.parse(seededPlans.standard),
    ...more,
  };
}
