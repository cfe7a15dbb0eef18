/** The license state as the first sentence that a person reads, with its colour. */
import type { BlockedReason, LicenseState } from '../../shared/ipc/app-state.ts';
import { planName } from './plan-name.ts';
import { shortDay, shortMoment } from './times.ts';
import type { Translate } from './use-sentences.ts';

export type Tone = 'good' | 'attention' | 'blocked' | 'unknown';

/** What helps in a state beyond checking again. */
export type Remedy = 'enterKey' | 'activateAgain' | 'enterAnotherKey' | 'seePlans' | 'changeServer';

export type LicenseSentence = {
  readonly tone: Tone;
  readonly headline: string;
  readonly detail: string;
  readonly remedy: Remedy | null;
};

type Words = {
  readonly t: Translate;
  readonly locale: string;
  readonly now: number;
  /** Whether this device's slot was released while it still holds its key. */
  readonly holdsKey: boolean;
  /** Whether there is a page of plans to send somebody to. */
  readonly plansPage: boolean;
};

/** Exactly one sentence for each state; `detail` says until when, or what to do. */
export function licenseSentence(state: LicenseState, words: Words): LicenseSentence {
  const { t, locale, now, holdsKey } = words;
  switch (state.kind) {
    case 'unknown':
      return { tone: 'unknown', headline: t('license.unknown'), detail: t('license.unknownDetail'), remedy: null };
    case 'works': {
      const plan = planName(state.plan, t);
      const detail =
        state.until === null
          ? t('license.worksForGood', { plan })
          : t('license.worksUntil', { plan, until: shortDay(state.until, now, locale) });
      return { tone: 'good', headline: t('license.works'), detail, remedy: null };
    }
    case 'offline':
      return {
        tone: 'attention',
        headline: t('license.offline', { since: shortMoment(state.since, now, locale) }),
        detail: t('license.offlineUntil', { until: shortMoment(state.worksUntil, now, locale) }),
        remedy: null,
      };
    case 'offline-ended':
      return {
        tone: 'blocked',
        headline: t('license.offlineEnded', { since: shortMoment(state.since, now, locale) }),
        detail: t('license.offlineEndedDetail'),
        remedy: 'changeServer',
      };
    case 'not-activated':
      return {
        tone: 'attention',
        headline: t('license.notActivated'),
        detail: holdsKey ? t('license.releasedDetail') : t('license.notActivatedDetail'),
        remedy: holdsKey ? 'activateAgain' : 'enterKey',
      };
    case 'no-license':
      return {
        tone: 'attention',
        headline: t('license.noLicense'),
        detail: t('license.noLicenseDetail'),
        remedy: 'enterKey',
      };
    case 'blocked':
      return { tone: 'blocked', ...blockedSentence(state.reason, words) };
  }
}

function blockedSentence(reason: BlockedReason, { t, plansPage }: Words): Omit<LicenseSentence, 'tone'> {
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
