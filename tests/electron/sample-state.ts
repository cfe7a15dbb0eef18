/** States for tests of what the main process shows outside of the page. */
import type { AccountState, AppState, LicenseState, SignedOutReason, Warning } from '../../shared/ipc/app-state.ts';
import { type Settings, settings } from '../../shared/ipc/settings.ts';
import { noUpdates, type UpdatesState } from '../../shared/ipc/updates.ts';

type Sample = {
  readonly license?: LicenseState;
  readonly warnings?: readonly string[];
  readonly signedIn?: boolean;
  readonly signedOutReason?: SignedOutReason;
  readonly releasedElsewhere?: boolean;
  readonly settings?: Partial<Settings>;
  readonly updates?: Partial<UpdatesState>;
  readonly account?: AccountState;
  readonly lease?: Partial<AppState['lease']>;
};

const since = '2026-01-02T00:00:00.000Z';

/** A state with only the given parts, the session and the settings; signed in with a working license by default. */
export function sampleState(sample: Sample = {}): AppState {
  const { signedIn = true, releasedElsewhere = false } = sample;
  const works = { kind: 'works', plan: 'standard', until: null, worksUntil: null } as const;
  const { license = signedIn ? works : { kind: 'unknown' } } = sample;
  const session = signedIn
    ? { kind: 'signed-in', user: {}, account: sample.account ?? null }
    : { kind: 'signed-out', reason: sample.signedOutReason ?? null };
  const warnings: Warning[] = (sample.warnings ?? []).map((id) => ({ id, text: `warning ${id}`, since }));
  const updates = { ...noUpdates('4.2.0'), ...sample.updates };
  const chosen = { ...settings.parse({}), ...sample.settings };
  const lease = { state: 'none', problem: null, issuedAt: null, expiresAt: null, ...sample.lease };
  const thisDevice = { releasedElsewhere };
  return { license, lease, warnings, session, updates, thisDevice, settings: chosen } as unknown as AppState;
}
