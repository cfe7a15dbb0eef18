/** The button that helps in a license state. */
import { bridge } from '../bridge.ts';
import { ActButton } from '../components/ActButton.tsx';
import { goTo, type Place } from '../places.ts';
import { useStore } from '../store.ts';
import type { Remedy } from '../text/license-sentence.ts';
import { useSentences } from '../text/use-sentences.ts';

const placeOf: Readonly<Partial<Record<Remedy, Place>>> = {
  enterKey: 'devices',
  enterAnotherKey: 'devices',
  changeServer: 'settings',
};

/** Not shown in the place where it would lead. */
export function RemedyButton({ remedy }: { readonly remedy: Remedy }) {
  const { t } = useSentences();
  const here = useStore((store) => store.place);
  const place = placeOf[remedy];
  if (place === here) return null;
  return (
    <ActButton
      weight="primary"
      onPress={() => (place === undefined ? void bridge.openLink({ name: 'plans' }) : goTo(place))}
    >
      {t(`license.${remedy}`)}
    </ActButton>
  );
}
