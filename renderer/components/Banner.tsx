/** A sentence set apart by its tone, with what helps at its end. */
import type { ReactNode } from 'react';
import type { Tone } from '../i18n/license-sentence.ts';
import { ToneIcon } from './ToneIcon.tsx';

type Props = {
  readonly tone: Tone;
  readonly title: ReactNode;
  readonly children?: ReactNode;
  readonly acts?: ReactNode;
  readonly role?: 'alert' | 'status';
};

export function Banner({ tone, title, children, acts, role }: Props) {
  return (
    <div className={`banner banner-${tone}`} role={role}>
      <ToneIcon tone={tone} />
      <div className="banner-words">
        <div className="banner-title">{title}</div>{' '}
        {children !== undefined && children !== null && <div className="banner-text">{children}</div>}
      </div>
      {acts !== undefined && acts !== null && <div className="banner-acts">{acts}</div>}
    </div>
  );
}
