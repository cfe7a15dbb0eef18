/** A popup beside its button: a non-modal dialog or a menu. */
import type { LucideIcon } from 'lucide-react';
import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type ToggleEvent,
  useId,
  useRef,
  useState,
} from 'react';
import { createPortal, flushSync } from 'react-dom';

type PopoverProps = {
  readonly role: 'dialog' | 'menu';
  /** Accessible name. */
  readonly label: string;
  readonly placement: 'above' | 'below';
  readonly button: ReactNode;
  readonly buttonClassName: string;
  readonly children: (close: () => void) => ReactNode;
};

/**
 * Takes the focus when it opens; a menu opened by keyboard focuses its first item. Closes on Escape or a click outside,
 * and then returns the focus to its button.
 */
export function Popover({ role, label, placement, button, buttonClassName, children }: PopoverProps) {
  const id = useId();
  const ref = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  // The content is rendered just before it opens, and only while it is open.
  const onBeforeToggle = ({ newState }: ToggleEvent<HTMLElement>) => {
    if (newState === 'open') flushSync(() => setOpen(true));
  };
  const onToggle = ({ newState, currentTarget }: ToggleEvent<HTMLElement>) => {
    if (newState !== 'open') return setOpen(false);
    const openedByKey = document.activeElement?.matches(':focus-visible') ?? false;
    const [firstItem = currentTarget] = openedByKey ? itemsOf(currentTarget) : [];
    firstItem.focus();
  };
  const close = () => ref.current?.hidePopover();
  return (
    <>
      <button type="button" className={buttonClassName} popoverTarget={id} aria-haspopup={role} aria-expanded={open}>
        {button}
      </button>
      {createPortal(
        // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles have a label
        <div
          ref={ref}
          id={id}
          popover="auto"
          role={role}
          aria-label={label}
          tabIndex={-1}
          className={`popover popover-${placement}`}
          onBeforeToggle={onBeforeToggle}
          onToggle={onToggle}
          {...(role === 'menu' && { onKeyDown: moveInMenu, onPointerMove: focusItem, onClick: close })}
        >
          {open && children(close)}
        </div>,
        document.body,
      )}
    </>
  );
}

type MenuItemProps = {
  readonly icon: LucideIcon;
  readonly children: ReactNode;
  readonly onPress: () => void;
};

/** Closes its menu after `onPress`. */
export function MenuItem({ icon: Icon, children, onPress }: MenuItemProps) {
  return (
    <button type="button" role="menuitem" className="menu-item" tabIndex={-1} onClick={onPress}>
      <Icon className="icon" aria-hidden />
      {children}
    </button>
  );
}

function itemsOf(menu: HTMLElement): readonly HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>('[role="menuitem"]')];
}

/**
 * Handles menu keys: arrow keys wrap around, Home and End go to the ends. Tab closes the menu and continues from its
 * button.
 */
function moveInMenu(event: KeyboardEvent<HTMLElement>): void {
  if (event.key === 'Tab') event.currentTarget.hidePopover();
  const items = itemsOf(event.currentTarget);
  const { activeElement } = document;
  const from = activeElement instanceof HTMLElement ? items.indexOf(activeElement) : -1;
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: from + 1,
    ArrowUp: Math.max(from, 0) - 1,
    Home: 0,
    End: -1,
  };
  const next = steps[event.key];
  if (next === undefined) return;
  event.preventDefault();
  items.at(next % items.length)?.focus();
}

/** Focuses the item under the pointer, so that only one item is ever highlighted. */
function focusItem({ target }: PointerEvent): void {
  if (target instanceof Element) target.closest<HTMLElement>('[role="menuitem"]')?.focus();
}
