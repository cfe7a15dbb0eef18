/** The window's buttons: one with text, one with only an icon. */
import { LoaderCircle, type LucideIcon } from 'lucide-react';
import { type MouseEvent, type ReactNode, type Ref, useState } from 'react';
import { useDelayed } from '../use-timers.ts';

type ActionButtonProps = {
  readonly children: ReactNode;
  readonly variant?: 'primary' | 'secondary' | 'quiet' | 'danger';
  readonly icon?: LucideIcon;
  readonly pending?: boolean;
  /** Shows a spinner but stays enabled, while related work started elsewhere is in progress. */
  readonly busy?: boolean;
  readonly disabled?: boolean;
  readonly type?: 'button' | 'submit';
  readonly onPress?: () => void;
  readonly describedBy?: string;
  /** Whether a dialog gives it the initial focus. */
  readonly hasFocusFirst?: boolean;
  readonly className?: string;
  readonly ref?: Ref<HTMLButtonElement>;
};

/**
 * While pending, keeps its width and name, shows a spinner, and cannot be pressed. Keeps the focus also when it is
 * disabled, e.g. by the work that its press has begun: the attribute `disabled` would take it away.
 */
export function ActionButton({
  children,
  variant = 'secondary',
  icon: Icon,
  pending = false,
  busy = false,
  disabled = false,
  ...rest
}: ActionButtonProps) {
  const spinning = useDelayed(pending || busy);
  const [hasFocus, setHasFocus] = useState(false);
  // A press, and Enter in a field of the form, of which its submit button gets a click.
  const press = (event: MouseEvent) => {
    if (pending || disabled) event.preventDefault();
    else rest.onPress?.();
  };
  return (
    <button
      ref={rest.ref}
      className={`button button-${variant} ${disabled ? 'button-off' : ''} ${rest.className ?? ''}`}
      type={rest.type ?? 'button'}
      disabled={disabled && !hasFocus}
      aria-disabled={pending || (disabled && hasFocus) || undefined}
      onClick={press}
      onFocus={() => setHasFocus(true)}
      onBlur={() => setHasFocus(false)}
      aria-describedby={rest.describedBy}
      data-autofocus={rest.hasFocusFirst || undefined}
    >
      {Icon && !spinning && <Icon className="icon" aria-hidden />}
      {spinning && <LoaderCircle className="icon spin" aria-hidden />}
      <span className="button-text">{children}</span>
    </button>
  );
}

type IconButtonProps = {
  readonly icon: LucideIcon;
  /** Accessible name. */
  readonly label: string;
  readonly onPress: () => void;
  readonly spinning?: boolean;
};

export function IconButton({ icon: Icon, label, onPress, spinning = false }: IconButtonProps) {
  return (
    <button type="button" className="button button-quiet button-icon" aria-label={label} onClick={onPress}>
      <Icon className={spinning ? 'icon spin' : 'icon'} aria-hidden />
    </button>
  );
}
