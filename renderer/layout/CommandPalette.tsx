/** All acts by name, with Ctrl or Cmd and K. */
import { Search } from 'lucide-react';
import {
  Autocomplete,
  Dialog,
  Input,
  Menu,
  MenuItem,
  Modal,
  ModalOverlay,
  SearchField,
  useFilter,
} from 'react-aria-components';
import { useSentences } from '../i18n/use-sentences.ts';
import { showPalette, useStore } from '../store.ts';
import { useCommands } from './use-commands.ts';

export function CommandPalette() {
  const open = useStore((store) => store.paletteOpen);
  return (
    <ModalOverlay className="overlay overlay-top" isOpen={open} isDismissable onOpenChange={showPalette}>
      <Modal className="modal palette">
        <Palette />
      </Modal>
    </ModalOverlay>
  );
}

function Palette() {
  const { t } = useSentences();
  const { contains } = useFilter({ sensitivity: 'base' });
  const commands = useCommands();
  const act = (id: string) => {
    showPalette(false);
    commands.find((command) => command.id === id)?.run();
  };
  return (
    <Dialog className="dialog palette-dialog" aria-label={t('palette.title')}>
      <Autocomplete filter={contains}>
        <SearchField className="palette-field" aria-label={t('palette.field')} autoFocus>
          <Search className="icon" aria-hidden />
          <Input className="palette-input" placeholder={t('palette.field')} />
        </SearchField>
        <Menu
          className="menu palette-menu"
          aria-label={t('palette.title')}
          items={commands}
          onAction={(key) => act(String(key))}
          renderEmptyState={() => <p className="palette-none">{t('palette.none')}</p>}
        >
          {({ id, label, keys, icon: Icon }) => (
            <MenuItem id={id} className="menu-item" textValue={label}>
              <Icon className="icon" aria-hidden />
              <span className="menu-item-label">{label}</span>
              {keys !== undefined && <kbd>{keys}</kbd>}
            </MenuItem>
          )}
        </Menu>
      </Autocomplete>
    </Dialog>
  );
}
