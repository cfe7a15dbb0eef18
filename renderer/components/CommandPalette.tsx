/** A searchable list of commands, opened with Ctrl or Cmd and K. */
import { type LucideIcon, Search } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { containsText } from '../i18n/contains-text.ts';
import { useSharedMessages } from '../i18n/shared-messages.ts';
import { Modal } from './Dialogs.tsx';

export type PaletteCommand = {
  readonly id: string;
  readonly label: string;
  readonly icon: LucideIcon;
  readonly keys?: string;
  /** True for one of many items that are found by name, and shown only once something is typed. */
  readonly isFoundOnly?: boolean;
  readonly run: () => void;
};

type CommandPaletteProps = {
  readonly commands: readonly PaletteCommand[];
  readonly onClose: () => void;
};

/** Maximum number of results shown; a longer query narrows them down. */
const maxFound = 100;

/** Active index if no command is active: Enter in the empty field does nothing. */
const none = -1;

/** A combobox: the focus stays in the field, and the arrow keys move through the commands. */
export function CommandPalette({ commands, onClose }: CommandPaletteProps) {
  const { t, locale } = useSharedMessages();
  const listId = useId();
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(none);
  // In any order, as they come to mind.
  const words = query.split(/\s+/).filter((word) => word !== '');
  const found = commands
    .filter(({ isFoundOnly }) => words.length > 0 || isFoundOnly !== true)
    .filter(({ label }) => words.every((word) => containsText(label, word, locale)))
    .slice(0, maxFound);
  const run = (command: PaletteCommand | undefined) => {
    if (command === undefined) return;
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = { ArrowDown: active + 1, ArrowUp: Math.max(active, 0) - 1 };
    const next = steps[event.key];
    if (next === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    if (next === undefined) run(found[active]);
    else setActive((next + found.length) % Math.max(found.length, 1));
  };
  const optionId = (index: number) => `${listId}-${index}`;
  return (
    <Modal title={t('palette.title')} className="palette" focus="first" onClose={onClose}>
      <div className="palette-field">
        <Search className="icon" aria-hidden />
        <input
          type="text"
          className="palette-input"
          role="combobox"
          aria-label={t('palette.field')}
          aria-expanded
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={active in found ? optionId(active) : undefined}
          placeholder={t('palette.field')}
          autoComplete="off"
          spellCheck={false}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setActive(event.target.value === '' ? none : 0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div id={listId} className="menu" role="listbox" aria-label={t('palette.title')}>
        {found.map((command, index) => (
          <PaletteOption
            key={command.id}
            id={optionId(index)}
            command={command}
            active={index === active}
            onActive={() => setActive(index)}
            onPress={() => run(command)}
          />
        ))}
      </div>
      <p className="palette-empty" role="status">
        {found.length === 0 ? t('palette.none') : ''}
      </p>
    </Modal>
  );
}

type PaletteOptionProps = {
  readonly id: string;
  readonly command: PaletteCommand;
  readonly active: boolean;
  readonly onActive: () => void;
  readonly onPress: () => void;
};

function PaletteOption({ id, command, active, onActive, onPress }: PaletteOptionProps) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (active) ref.current?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  const { label, keys, icon: Icon } = command;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox handles the keys
    <div
      ref={ref}
      id={id}
      role="option"
      aria-selected={active}
      tabIndex={-1}
      className="menu-item"
      onPointerMove={onActive}
      onClick={onPress}
    >
      <Icon className="icon" aria-hidden />
      <span className="menu-item-label">{label}</span>
      {keys !== undefined && <kbd>{keys}</kbd>}
    </div>
  );
}
