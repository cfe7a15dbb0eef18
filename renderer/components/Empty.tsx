/** What stands where nothing is yet: an icon, a sentence, and the next step. */
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

type Props = {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly hint?: string;
  readonly children?: ReactNode;
};

export function Empty({ icon: Icon, title, hint, children }: Props) {
  return (
    <div className="empty">
      <span className="empty-icon">
        <Icon className="icon" aria-hidden />
      </span>
      <p className="empty-title">{title}</p>
      {hint !== undefined && <p className="empty-hint">{hint}</p>}
      {children}
    </div>
  );
}
