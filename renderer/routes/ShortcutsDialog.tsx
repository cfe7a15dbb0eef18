/** The dialog that lists the window's keyboard shortcuts. */
import { Fragment } from 'react';
import { placeShortcuts, shortcuts } from '../../shared/ipc/shortcuts.ts';
import { WideDialog } from '../components/Dialogs.tsx';
import { useMessages } from '../i18n/messages.ts';
import { useKeysOf } from '../layout/use-keys-of.ts';
import { routeOf } from '../open-request.ts';
import { showShortcuts } from '../store.ts';

/** The keys of the menu's zoom items, and of a browser. */
const zoomKeys = [
  ['zoomIn', '+'],
  ['zoomOut', '−'],
  ['actualSize', '0'],
] as const;

type Row = { readonly label: string; readonly keys: readonly string[] };

export function ShortcutsDialog() {
  const { t } = useMessages();
  const keysOf = useKeysOf();
  const everywhere: readonly Row[] = [
    { label: t('palette.title'), keys: shortcuts.palette.map(keysOf) },
    { label: t('shortcuts.find'), keys: shortcuts.find.map(keysOf) },
    { label: t('shortcuts.settings'), keys: shortcuts.settings.map(keysOf) },
    { label: t('shortcuts.show'), keys: shortcuts.shortcuts.map(keysOf) },
    ...zoomKeys.map(([name, key]) => ({ label: t(`shortcuts.${name}`), keys: [keysOf({ key, mod: true })] })),
  ];
  const places: readonly Row[] = placeShortcuts.map(([place, shortcut]) => ({
    label: t('palette.goTo', { page: t(`navigation.${routeOf(place)}`) }),
    keys: [keysOf(shortcut)],
  }));
  const inside: readonly Row[] = [
    { label: t('shortcuts.move'), keys: [t('shortcuts.tab')] },
    { label: t('shortcuts.choose'), keys: ['↑', '↓'] },
    { label: t('shortcuts.press'), keys: [t('shortcuts.enter'), t('shortcuts.space')] },
    { label: t('shortcuts.close'), keys: [t('shortcuts.escape')] },
  ];
  return (
    <WideDialog title={t('shortcuts.title')} onClose={() => showShortcuts(false)}>
      <div className="shortcuts">
        <Group title={t('shortcuts.everywhere')} rows={everywhere} />
        <Group title={t('shortcuts.places')} rows={places} />
        <Group title={t('shortcuts.inside')} rows={inside} />
      </div>
    </WideDialog>
  );
}

function Group({ title, rows }: { readonly title: string; readonly rows: readonly Row[] }) {
  const { t } = useMessages();
  return (
    <section>
      <h3>{title}</h3>
      <dl>
        {rows.map(({ label, keys }) => (
          <div key={label} className="shortcut">
            <dt>{label}</dt>{' '}
            <dd>
              {keys.map((combination, index) => (
                <Fragment key={combination}>
                  {index > 0 && <span className="shortcut-or">{t('shortcuts.or')}</span>}
                  <kbd>{combination}</kbd>
                </Fragment>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
