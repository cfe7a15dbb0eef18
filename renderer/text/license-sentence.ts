/** The license state as the first sentence that a person reads, with its colour. */
import type { BlockedReason, LicenseState } from '../../shared/ipc/app-state.ts';
import { planName } from './plan-name.ts';
import { shortDay, shortMoment } from './times.ts';
import type { Translate } from './use-sentences.ts';

export type Tone = 'good' | 'attention' | 'blocked' | 'unknown';

/** What helps in a state beyond checking again. */
export type Remedy = 'enterKey' | 'enterAnotherKey' | 'seePlans' | 'changeServer';

export type LicenseSentence = {
  readonly tone: Tone;
  readonly headline: string;
  readonly detail: string;
  readonly remedy: Remedy | null;
};

type Words = { readonly t: Translate; readonly locale: string; readonly now: number };

/** Exactly one sentence for each state; `detail` says until when, or what to do. */
export function licenseSentence(state: LicenseState, { t, locale, now }: Words): LicenseSentence {
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
        detail: t('license.notActivatedDetail'),
        remedy: 'enterKey',
      };
    case 'no-license':
      return {
        tone: 'attention',
        headline: t('license.noLicense'),
        detail: t('license.noLicenseDetail'),
        remedy: 'enterKey',
      };
    case 'blocked':
      return { tone: 'blocked', ...blockedSentence(state.reason, t) };
  }
}

function blockedSentence(reason: BlockedReason, t: Translate): Omit<LicenseSentence, 'tone'> {
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
        detail: t('license.subscriptionEndedDetail'),
        remedy: 'seePlans',
      };
    case 'not-found':
      return { headline: t('license.notFound'), detail: t('license.notFoundDetail'), remedy: 'enterAnotherKey' };
  }
}
