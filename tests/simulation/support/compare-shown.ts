/** Compares what the client shows with what a support file says it showed. Pure. */
import type { AppState } from '../../../shared/ipc/app-state.ts';
import type { FeatureDecision } from '../../../shared/ipc/decision.ts';
import type { Shown } from './read-support-file.ts';

/** How far two times may differ, because a merged response in the file has only approximate times. */
const toleranceMs = 60_000;

/** Returns what a support file would say about that state. */
export function describeShown(state: AppState, features: readonly FeatureDecision[]): Shown {
  const { session, thisDevice, server, license, lease, clock } = state;
  return {
    system: { clock },
    server: { address: server.address, reachability: server.reachability.kind, leases: server.leases },
    account: session.kind === 'signed-in' ? { id: session.user.id } : null,
    device: { device_id: thisDevice?.deviceId ?? null, source: thisDevice?.idSource ?? null },
    license: {
      state: { ...license },
      key_preview: thisDevice?.license?.keyPreview ?? null,
      activated: thisDevice?.activated,
    },
    lease,
    features: features.map((feature) => ({ ...feature, chain: feature.chain.map((step) => ({ ...step })) })),
  };
}

/** Returns each difference as a sentence; empty if there are none. */
export function compareShown(file: Shown, client: Shown, beganAtMs: number): string[] {
  return [
    ...compare('account', file.account?.id ?? null, client.account?.id ?? null),
    ...compareLicense(file, client, beganAtMs),
    ...(['state', 'problem', 'kid', 'license', 'issuedAt', 'renewAfter', 'expiresAt'] as const).flatMap((field) =>
      compare(`lease.${field}`, file.lease[field], client.lease[field]),
    ),
    ...compareFeatures(file, client),
    ...compare('clock', file.system.clock, client.system.clock),
    ...compare('server.reachability', file.server.reachability, client.server.reachability),
  ];
}

function compareLicense(file: Shown, client: Shown, beganAtMs: number): string[] {
  const fields = new Set([...Object.keys(file.license.state), ...Object.keys(client.license.state)]);
  // Of a state that began before the file, only that it had begun is known.
  if (beganAtMs > Date.parse(String(file.license.state.since))) fields.delete('since');
  return [
    ...[...fields].flatMap((field) =>
      compare(`license.${field}`, file.license.state[field] ?? null, client.license.state[field] ?? null),
    ),
    ...compare('license.activated', file.license.activated ?? null, client.license.activated ?? null),
  ];
}

function compareFeatures(file: Shown, client: Shown): string[] {
  const byName = new Map(client.features.map((feature) => [feature.feature, feature]));
  const known = new Set(file.features.map(({ feature }) => feature));
  const more = client.features.filter(({ feature }) => !known.has(feature));
  return [
    ...file.features.flatMap((feature) => compareFeature(feature, byName.get(feature.feature))),
    ...more.map(({ feature, on }) => `${feature}: not in the file; the client shows it ${on ? 'on' : 'off'}`),
  ];
}

type Feature = Shown['features'][number];

function compareFeature(file: Feature, client: Feature | undefined): string[] {
  const { feature } = file;
  if (!client) return [`${feature}: the file says ${file.on ? 'on' : 'off'}; the client does not know it`];
  const steps = (chain: Feature['chain']) => chain.map((step) => `${step.check} ${step.result} (${step.source})`);
  const [before, after] = [steps(file.chain), steps(client.chain)];
  return [
    ...compare(`${feature}.on`, file.on, client.on),
    ...compare(`${feature}.reason`, file.reason, client.reason),
    ...compare(`${feature}.decided_by`, file.decided_by, client.decided_by),
    ...before.flatMap((step, index) => compare(`${feature}.chain`, step, after[index] ?? null)),
  ];
}

function compare(what: string, file: unknown, client: unknown): string[] {
  const isSame = file === client || areClose(file, client);
  return isSame ? [] : [`${what}: the file says ${JSON.stringify(file)}, the client ${JSON.stringify(client)}`];
}

function areClose(one: unknown, other: unknown): boolean {
  if (typeof one !== 'string' || typeof other !== 'string' || !one.includes('T')) return false;
  return Math.abs(Date.parse(one) - Date.parse(other)) <= toleranceMs;
}
