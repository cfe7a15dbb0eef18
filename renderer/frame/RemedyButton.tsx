/** The button that helps in a license state. */
import { bridge } from '../bridge.ts';
import { ActButton } from '../components/ActButton.tsx';
import { goTo, type Place } from '../places.ts';
import { notify, useStore } from '../store.ts';
import { failureSentence } from '../text/failure-sentence.ts';
import type { Remedy } from '../text/license-sentence.ts';
import { useSentences } from '../text/use-sentences.ts';
import { ActivateAgain } from '../views/devices/ActivateAgain.tsx';

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
