/** The message of the state header: the license state, its tone, and what the user can do. */
import type { BlockedReason, LeaseInfo, LicenseState } from '../../shared/ipc/app-state.ts';
import { type LastingProblem, lastingProblem } from '../../shared/ipc/lasting-problem.ts';
import type { Tone } from '../components/Banner.tsx';
import { planName, shortDay, shortTime } from './format.ts';
import type { Translate } from './messages.ts';

/** What the user can do about a state, besides checking again. */
export type Remedy = 'enterKey' | 'activateAgain' | 'enterAnotherKey' | 'seePlans' | 'seeUpdates' | 'changeServer';

type LicenseMessage = {
  readonly tone: Tone;
  readonly headline: string;
  readonly detail: string;
  readonly remedy: Remedy | null;
};

type LicenseMessageContext = {
  readonly t: Translate;
  readonly locale: string;
  /** In ms since 1970. */
  readonly now: number;
  /** Whether this device was released but still has its license key. */
  readonly canActivateAgain: boolean;
  /** Whether somebody else, or the user on another device, released it. */
  readonly releasedElsewhere: boolean;
  /** Whether nobody is signed in, so that only the lease determines until when it works. */
  readonly isSignedOut: boolean;
  /** Whether a page about plans is configured. */
  readonly plansPage: boolean;
  /** Why this device's lease is not accepted. */
  readonly leaseProblem: LeaseInfo['problem'];
};

/** Returns the message for a state; `detail` says until when it holds, or what to do. */
export function licenseMessage(state: LicenseState, context: LicenseMessageContext): LicenseMessage {
  const { t, locale, now, canActivateAgain, releasedElsewhere } = context;
  switch (state.kind) {
    case 'unknown':
      return { tone: 'unknown', headline: t('license.unknown'), detail: t('license.unknownDetail'), remedy: null };
    case 'works':
      return {
        tone: 'good',
        headline: worksHeadline(state, context),
        detail: planDetail(state, context),
        remedy: null,
      };
    case 'offline':
      return {
        tone: 'attention',
        headline: t('license.offline', { since: shortTime(state.since, now, locale) }),
        detail: t('license.offlineUntil', { until: shortTime(state.worksUntil, now, locale) }),
        remedy: null,
      };
    case 'waiting-for-lease':
      return waitingMessage(context);
    case 'offline-ended':
      return {
        tone: 'blocked',
        headline: t('license.offlineEnded', { since: shortTime(state.since, now, locale) }),
        detail: t('license.offlineEndedDetail'),
        remedy: 'changeServer',
      };
    case 'not-activated':
      return {
        tone: 'attention',
        headline: t('license.notActivated'),
        detail: !canActivateAgain
          ? t('license.notActivatedDetail')
          : t(releasedElsewhere ? 'license.releasedElsewhereDetail' : 'license.releasedDetail'),
        remedy: canActivateAgain ? 'activateAgain' : 'enterKey',
      };
    case 'no-license':
      return {
        tone: 'attention',
        headline: t('license.noLicense'),
        detail: t('license.noLicenseDetail'),
        remedy: 'enterKey',
      };
    case 'blocked':
      return { tone: 'blocked', ...blockedMessage(state.reason, context) };
  }
}

const leaseRemedies: Readonly<Record<LastingProblem, Remedy>> = {
  unknown_key: 'seeUpdates',
  malformed: 'seeUpdates',
  wrong_signature: 'changeServer',
  other_device: 'enterKey',
  other_account: 'enterKey',
};

function waitingMessage({ t, leaseProblem }: LicenseMessageContext): LicenseMessage {
  const problem = lastingProblem(leaseProblem);
  if (problem === null) {
    const [headline, detail] = [t('license.waitingForLease'), t('license.waitingForLeaseDetail')];
    return { tone: 'attention', headline, detail, remedy: null };
  }
  return {
    tone: 'blocked',
    headline: t(`license.leaseProblem.${problem}.what`),
    detail: t(`license.leaseProblem.${problem}.help`),
    remedy: leaseRemedies[problem],
  };
}

type WorkingState = Extract<LicenseState, { kind: 'works' }>;

function worksHeadline({ worksUntil }: WorkingState, { t, locale, now, isSignedOut }: LicenseMessageContext): string {
  if (!isSignedOut || worksUntil === null) return t('license.works');
  return t('license.offlineUntil', { until: shortTime(worksUntil, now, locale) });
}

function planDetail({ plan: id, until }: WorkingState, { t, locale, now }: LicenseMessageContext): string {
  const plan = planName(id, t);
  if (until === null) return t('license.worksForGood', { plan });
  return t('license.worksUntil', { plan, until: shortDay(until, now, locale) });
}

function blockedMessage(reason: BlockedReason, { t, plansPage }: LicenseMessageContext): Omit<LicenseMessage, 'tone'> {
  switch (reason) {
    case 'revoked':
      return { headline: t('license.revoked'), detail: t('license.revokedDetail'), remedy: 'enterAnotherKey' };
    case 'expired':
      return { headline: t('license.expired'), detail: t('license.expiredDetail'), remedy: 'enterAnotherKey' };
    case 'suspended':
      return { headline: t('license.suspended'), detail: t('license.suspendedDetail'), remedy: 'enterAnotherKey' };
    case 'subscription-ended':
      return {
        headline: t('license.subscriptionEnded'),
        detail: plansPage ? t('license.subscriptionEndedDetail') : t('license.subscriptionEndedAsk'),
        remedy: plansPage ? 'seePlans' : 'enterAnotherKey',
      };
    case 'not-found':
      return { headline: t('license.notFound'), detail: t('license.notFoundDetail'), remedy: 'enterAnotherKey' };
  }
}
