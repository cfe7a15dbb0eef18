/** Grey lines in the place of what loads, after 200 ms; the room is kept from the start. */
import { useSentences } from '../i18n/use-sentences.ts';
import { useDelayed } from '../use-delayed.ts';

export function Skeleton({ lines }: { readonly lines: number }) {
  const { t } = useSentences();
  const shown = useDelayed(true);
  return (
    <div className={shown ? 'skeleton' : 'skeleton skeleton-early'}>
      <span className="visually-hidden">{shown ? t('common.loading') : ''}</span>
      {Array.from({ length: lines }, (_, line) => line).map((line) => (
        <div key={line} className="skeleton-line" aria-hidden />
      ))}
    </div>
  );
}
