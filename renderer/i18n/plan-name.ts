/** A plan's name for people. */
import type { Translate } from './use-sentences.ts';

/** Ours are translated; a plan that an admin added reads as it was named, with a capital. */
export function planName(plan: string, t: Translate): string {
  switch (plan) {
    case 'free':
      return t('plans.free');
    case 'standard':
      return t('plans.standard');
    case 'advanced':
      return t('plans.advanced');
    default:
      return plan.charAt(0).toUpperCase() + plan.slice(1);
  }
}
