/** A message with a tone, and the icon of each tone. */
import { CircleCheck, CircleHelp, CircleX, type LucideIcon, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';

/** The four states of the design: good, attention, blocked, unknown. */
export type Tone = 'good' | 'attention' | 'blocked' | 'unknown';

type BannerProps = {
  readonly tone: Tone;
  readonly title: ReactNode;
  readonly children?: ReactNode;
  /** Shown below the text, e.g. expandable details. */
  readonly details?: ReactNode;
  readonly actions?: ReactNode;
  readonly role?: 'alert' | 'status';
};

export function Banner({ tone, title, children, details, actions, role }: BannerProps) {
  return (
    <div className={`banner banner-${tone}`} role={role}>
      <ToneIcon tone={tone} />
      <div className="banner-body">
        <div className="banner-title">{title}</div>{' '}
        {children !== undefined && children !== null && <div className="banner-text">{children}</div>}
        {details}
      </div>
      {actions !== undefined && actions !== null && <div className="banner-actions">{actions}</div>}
    </div>
  );
}

const toneIcons: Readonly<Record<Tone, LucideIcon>> = {
  good: CircleCheck,
  attention: TriangleAlert,
  blocked: CircleX,
  unknown: CircleHelp,
};

/** Accompanies every use of a tone's color, so that color never carries the meaning alone. */
export function ToneIcon({ tone }: { readonly tone: Tone }) {
  const Icon = toneIcons[tone];
  return <Icon className={`icon tone-icon tone-${tone}`} aria-hidden />;
}
