/** A view: its title, one sentence on it, and its content. */
import { type ReactNode, useEffect } from 'react';

type Props = {
  readonly title: string;
  readonly intro?: ReactNode;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
};

/** A place starts at its top, wherever the last one was scrolled to. */
export function Page({ title, intro, aside, children }: Props) {
  useEffect(() => {
    document.getElementById('content')?.scrollTo(0, 0);
  }, []);
  return (
    <div className="page">
      <header className="page-header">
        <div>
          <h1>{title}</h1>
          {intro !== undefined && <p className="page-intro">{intro}</p>}
        </div>
        {aside}
      </header>
      {children}
    </div>
  );
}
