/** Says what a call to activate comes to; validation asks the same, so that `can_activate` is what then happens. */
import type { LicenseProblem } from './license.rules.ts';

export type ActivationFacts = {
  readonly refusal: LicenseProblem | undefined;
  readonly isActiveOnDevice: boolean;
  /** Slots in use, without one that is given up in the same call. */
  readonly heldSlots: number;
  readonly maxActivations: number;
};

export type ActivationVerdict = 'already_active' | 'takes_slot' | 'LICENSE_INACTIVE' | 'MAX_ACTIVATIONS_REACHED';

export function judgeActivation(facts: ActivationFacts): ActivationVerdict {
  if (facts.refusal) return 'LICENSE_INACTIVE';
  if (facts.isActiveOnDevice) return 'already_active';
  return facts.heldSlots < facts.maxActivations ? 'takes_slot' : 'MAX_ACTIVATIONS_REACHED';
}

/** Whether a call to activate would succeed. */
export function canActivate(facts: ActivationFacts): boolean {
  const verdict = judgeActivation(facts);
  return verdict === 'already_active' || verdict === 'takes_slot';
}
