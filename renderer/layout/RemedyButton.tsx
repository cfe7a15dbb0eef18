/** The button that helps in a license state. */
import { bridge } from '../bridge.ts';
import { ActButton } from '../components/ActButton.tsx';
import { failureSentence } from '../i18n/failure-sentence.ts';
import type { Remedy } from '../i18n/license-sentence.ts';
import { useSentences } from '../i18n/use-sentences.ts';
import { ActivateAgain } from '../routes/devices/ActivateAgain.tsx';
import { goTo, type Place } from '../routing.ts';
import { notify, useStore } from '../store.ts';

const placeOf: Readonly<Partial<Record<Remedy, Place>>> = {
  enterKey: 'devices',
  activateAgain: 'devices',
  enterAnotherKey: 'devices',
  changeServer: 'settings',
};

/** Not shown in the place where it would lead. */
export function RemedyButton({ remedy }: { readonly remedy: Remedy }) {
  const { t } = useSentences();
  const here = useStore((store) => store.place);
  const place = placeOf[remedy];
  if (place === here) return null;
  if (remedy === 'activateAgain') {
    return <ActivateAgain onRefused={(failure) => notify(failureSentence(failure, t).what, 'blocked')} />;
  }
  return (
    <ActButton
      weight="primary"
      onPress={() => (place === undefined ? void bridge.openLink({ name: 'plans' }) : goTo(place))}
    >
      {t(`license.${remedy}`)}
    </ActButton>
  );
}
