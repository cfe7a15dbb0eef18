/** What the client knows now, without secrets: the start of a replay of the timeline. Pure. */
import type { KnownFacts } from '../../shared/ipc/diagnostics.ts';
import { maskLicenseKey } from './entitlement.ts';
import type { FeatureTexts } from './feature-texts.ts';
import type { Lease } from './lease.ts';
import type { LeaseAccount } from './lease-account.ts';
import type { LeaseKeys } from './lease-keys.ts';
import type { LicenseFacts, LicenseStore } from './license-store.ts';
import type { Preferences } from './preferences.ts';
import type { ReachabilityTracker } from './reachability.ts';
import type { ServerAbout } from './server-about.ts';
import type { Session } from './session.ts';
import type { TrustedTime } from './trusted-time.ts';

type KnownFactsSource = {
  readonly session: Pick<Session, 'user' | 'serverAddress'>;
  readonly store: Pick<LicenseStore, 'facts' | 'owner'>;
  readonly lease: Pick<Lease, 'claims' | 'info'>;
  readonly leaseKeys: Pick<LeaseKeys, 'of'>;
  readonly leaseAccount: Pick<LeaseAccount, 'current'>;
  readonly featureTexts: Pick<FeatureTexts, 'current'>;
  readonly serverAbout: Pick<ServerAbout, 'current'>;
  readonly trustedTime: Pick<TrustedTime, 'reading'>;
  readonly preferences: Pick<Preferences, 'current'>;
  readonly reachability: Pick<ReachabilityTracker, 'state'>;
};

/** The part of the license document that names neither a key nor a person. */
type RecordedLicense = Pick<LicenseFacts, 'localChange' | 'validation' | 'status' | 'needsLease' | 'endedAt' | 'time'>;

export function describeKnown(source: KnownFactsSource): KnownFacts {
  const {
    session,
    store,
    lease,
    leaseKeys,
    leaseAccount,
    featureTexts,
    serverAbout,
    trustedTime,
    reachability,
    preferences,
  } = source;
  const { licenseKey, localChange, validation, status, needsLease, endedAt } = store.facts;
  const kid = lease.info.kid;
  const { keys } = leaseKeys.of(
    session.serverAddress ?? store.owner?.serverAddress ?? preferences.current.serverAddress,
  );
  const license: RecordedLicense = {
    localChange,
    validation: validation && { ...validation, response: withoutSentence(validation.response) },
    status,
    needsLease,
    endedAt,
    time: trustedTime.reading(),
  };
  return {
    account_id: session.user?.id ?? null,
    lease_account_id: leaseAccount.current?.accountId ?? null,
    key_preview: licenseKey === null ? null : maskLicenseKey(licenseKey),
    lease: kid === null || lease.claims === null ? null : { kid, claims: lease.claims },
    kids: keys.map((key) => key.kid),
    leases: serverAbout.current?.leases ?? null,
    feature_names: featureTexts.current?.map(({ name }) => name) ?? null,
    reachability: reachability.state.kind,
    license,
  };
}

type Response = NonNullable<LicenseFacts['validation']>['response'];

/** The server's sentence is for people and decides nothing. */
function withoutSentence(response: Response): Response {
  return response.valid ? response : { ...response, error: '' };
}
