/** The centered card for everything before and after a session. */
import type { ReactNode } from 'react';
import { BrandMark } from '../../components/Brand.tsx';

type SessionCardProps = { readonly title: string; readonly intro?: ReactNode; readonly children: ReactNode };

export function SessionCard({ title, intro, children }: SessionCardProps) {
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <header className="sign-in-header">
          <BrandMark />
          <h1>{title}</h1>
          {intro !== undefined && <p className="page-intro">{intro}</p>}
        </header>
        {children}
      </div>
    </main>
  );
}
