/** The act of activating this device: at the limit it ends in a question, else in a notice. */
import { useState } from 'react';
import type { ActivationOutcome } from '../../../shared/ipc/ipc-schema.ts';
import type { Failure } from '../../../shared/ipc/result.ts';
import { bridge } from '../../bridge.ts';
import { slotsOf } from '../../i18n/slots.ts';
import { useSentences } from '../../i18n/use-sentences.ts';
import { notify } from '../../store.ts';
import { type Act, useAct } from '../../use-act.ts';

export type LimitReached = Extract<ActivationOutcome, { kind: 'device-limit-reached' }>;

export type Activation = {
  readonly act: Act;
  /** The key that met the limit of its license; an empty one is the key that this device holds. */
  readonly limit: { readonly licenseKey: string; readonly reached: LimitReached } | null;
  readonly activate: (licenseKey: string) => Promise<void>;
  readonly replaced: (name: string) => void;
  readonly closeLimit: () => void;
};

type Options = { readonly onActivated?: () => void; readonly onRefused?: (failure: Failure) => void };

export function useActivation({ onActivated, onRefused }: Options): Activation {
  const { t } = useSentences();
  const act = useAct();
  const [limit, setLimit] = useState<Activation['limit']>(null);
  const finish = (words: string) => {
    setLimit(null);
    notify(words);
    onActivated?.();
  };
  const activate = async (licenseKey: string) => {
    const answer = await act.run(async () => {
      const result = await bridge.activateLicense({ licenseKey });
      if (!result.ok) onRefused?.(result.failure);
      return result;
    });
    if (answer === null) return;
    const outcome = answer.value;
    if (outcome.kind === 'device-limit-reached') return setLimit({ licenseKey, reached: outcome });
    const slots = slotsOf(outcome);
    finish(slots === null ? t('devices.activatedTitle') : t('devices.activatedToast', slots));
  };
  return {
    act,
    limit,
    activate,
    replaced: (name) => finish(t('devices.replaced', { name })),
    closeLimit: () => setLimit(null),
  };
}
