/** The client's disk at the beginning of a replay: what it knew then, with substitute secrets. */
import type { KnownFacts } from '../../../shared/ipc/diagnostics.ts';
import type { LeaseSigner } from '../../electron/licensing/lease-signer.ts';
import { makeUpLicenseKey, makeUpUser, ownActivationId } from './made-up-key.ts';
import type { SupportFile } from './read-support-file.ts';
import { makeAbout, makeFeatureText } from './replay-response.ts';

export type ReplayStore = { readonly secrets: Map<string, string>; readonly plain: Map<string, string> };

export type SeedOptions = {
  readonly known: KnownFacts;
  readonly file: Pick<SupportFile, 'server' | 'device'>;
  readonly signerOf: (kid: string) => LeaseSigner;
};

/** Used if a support file has no device id. */
const unknownDeviceId = 'HW-00000000-00000000-00000000-00000000';

/**
 * Replaces what the file says about the store, and keeps what the replay has stored for accounts that are not signed
 * in.
 */
export function seedStore(store: ReplayStore, options: SeedOptions): void {
  const { known, file, signerOf } = options;
  const { secrets, plain } = store;
  const serverAddress = file.server.address ?? '';
  const isOpen = openAccountOf(known) !== null;
  for (const name of secrets.keys()) if (isOpen || !name.startsWith('license-')) secrets.delete(name);
  plain.clear();
  const source = file.device.source === 'random' ? 'random' : 'machine';
  put(plain, 'device-id', { deviceId: deviceIdOf(file), source });
  if (known.leases !== null) put(plain, 'about', { serverAddress, about: makeAbout(known.leases) });
  if (known.feature_names !== null) {
    const features = known.feature_names.map(makeFeatureText);
    put(plain, 'features', { serverAddress, language: 'en', features });
  }
  put(secrets, 'lease-keys', { servers: [{ serverAddress, keys: known.kids.map((kid) => signerOf(kid).jwk) }] });
  if (known.lease_account_id !== null)
    put(secrets, 'lease-account', { serverAddress, accountId: known.lease_account_id });
  if (known.account_id !== null) {
    const user = makeUpUser(known.account_id);
    put(secrets, 'session', { serverAddress, user, refreshToken: 'replay-refresh-0', pendingRefreshKey: null });
  }
  seedLicense(store, options);
}

/** Stores the account's license, unless the replay has already stored something about it. */
export function seedLicense({ secrets }: ReplayStore, { known, file, signerOf }: SeedOptions): void {
  const accountId = openAccountOf(known);
  if (accountId === null) return;
  const binding = { serverAddress: file.server.address ?? '', accountId, deviceId: deviceIdOf(file) };
  // Under the name used by earlier versions, from which the client migrates it.
  put(secrets, 'license', { version: 3, binding, facts: makeFacts(known, signerOf) });
}

/** Returns the account whose license the client had open; while nobody is signed in, that of the lease in use. */
function openAccountOf({ account_id, lease_account_id, lease }: KnownFacts): string | null {
  return account_id ?? (lease === null ? null : lease_account_id);
}

function put(values: Map<string, string>, name: string, document: object): void {
  values.set(name, JSON.stringify({ version: 1, ...document }));
}

function deviceIdOf({ device }: SeedOptions['file']): string {
  return device.device_id ?? unknownDeviceId;
}

function makeFacts({ key_preview, lease, license }: KnownFacts, signerOf: SeedOptions['signerOf']) {
  return {
    ...license,
    licenseKey: key_preview === null ? null : makeUpLicenseKey(key_preview),
    activationId: key_preview === null ? null : ownActivationId,
    apiKey: null,
    pendingApiKey: null,
    activity: [],
    lease: lease && signerOf(lease.kid).signClaims(lease.claims),
  };
}
