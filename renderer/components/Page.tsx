/** Building blocks of every screen: the page and its panels. */
import { type ReactNode, type Ref, useEffect, useId } from 'react';

type PageProps = {
  readonly title: string;
  readonly intro?: ReactNode;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
};

/** Scrolls to the top when it opens, wherever the previous screen was scrolled to. */
export function Page({ title, intro, aside, children }: PageProps) {
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

type PanelProps = {
  readonly title: string;
  readonly children: ReactNode;
  /** A link or button next to the title. */
  readonly aside?: ReactNode;
  readonly className?: string;
  /** Makes the heading focusable, for when the focused row is removed. */
  readonly headingRef?: Ref<HTMLHeadingElement>;
};

export function Panel({ title, children, aside, className = '', headingRef }: PanelProps) {
  const id = useId();
  return (
    <section className={`panel ${className}`} aria-labelledby={id}>
      <header className="panel-header">
        <h2 id={id} ref={headingRef} tabIndex={headingRef === undefined ? undefined : -1}>
          {title}
        </h2>
        {aside}
      </header>
      {children}
    </section>
  );
}
