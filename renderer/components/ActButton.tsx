/** A button for an act: its weight, its icon, and a spinner while the act is under way. */
import { LoaderCircle, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from 'react-aria-components';
import { useDelayed } from '../use-delayed.ts';

type Props = {
  readonly children: ReactNode;
  readonly weight?: 'primary' | 'secondary' | 'quiet' | 'danger';
  readonly icon?: LucideIcon;
  readonly pending?: boolean;
  readonly disabled?: boolean;
  readonly type?: 'button' | 'submit';
  readonly onPress?: () => void;
  readonly label?: string;
  readonly describedBy?: string;
  readonly autoFocus?: boolean;
  readonly className?: string;
};

/** While pending it keeps its width, its name and the focus, and cannot be pressed again. */
export function ActButton({ children, weight = 'secondary', icon: Icon, pending = false, ...rest }: Props) {
  const spinning = useDelayed(pending);
  return (
    <Button
      className={`button button-${weight} ${rest.className ?? ''}`}
      type={rest.type ?? 'button'}
      isDisabled={rest.disabled ?? false}
      isPending={pending}
      onPress={rest.onPress}
      aria-label={rest.label}
      aria-describedby={rest.describedBy}
      autoFocus={rest.autoFocus}
    >
      {Icon && !spinning && <Icon className="icon" aria-hidden />}
      {spinning && <LoaderCircle className="icon spin" aria-hidden />}
      <span className="button-text">{children}</span>
    </Button>
  );
}
