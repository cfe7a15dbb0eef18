/** Placeholders for content: an empty state, and skeletons for a panel or a screen that is loading. */
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { useSharedMessages } from '../i18n/shared-messages.ts';
import { useDelayed } from '../use-timers.ts';

type EmptyStateProps = {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly hint?: string;
  readonly children?: ReactNode;
};

export function EmptyState({ icon: Icon, title, hint, children }: EmptyStateProps) {
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

/** Reserves its space immediately, and shows grey lines after 200 ms. */
export function Skeleton({ lines }: { readonly lines: number }) {
  const { t } = useSharedMessages();
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
