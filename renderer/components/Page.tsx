/** The building blocks of every screen: the page and its panels. */
import { createContext, type ReactNode, type Ref, useContext, useEffect, useId } from 'react';

type PageProps = {
  readonly title: string;
  readonly intro?: ReactNode;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
};

/** Scrolls to the top when it opens, wherever the previous screen was scrolled to. */
export function Page({ title, intro, aside, children }: PageProps) {
  useEffect(() => {
    const content = document.getElementById('content');
    content?.scrollTo(0, 0);
    // In a low window, the state header scrolls too.
    content?.parentElement?.scrollTo(0, 0);
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

type PanelGroupProps = { readonly title: string; readonly children: ReactNode };

/** True for panels in a group, whose headings are one level below the group's. */
const IsGrouped = createContext(false);

/** Groups related panels under a heading. */
export function PanelGroup({ title, children }: PanelGroupProps) {
  const id = useId();
  return (
    <section className="panel-group" aria-labelledby={id}>
      <h2 id={id} className="panel-group-title">
        {title}
      </h2>
      <IsGrouped value={true}>{children}</IsGrouped>
    </section>
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
  /** Makes the heading focusable by this id. */
  readonly headingId?: string;
};

export function Panel({ title, children, aside, className = '', headingRef, headingId }: PanelProps) {
  const ownId = useId();
  const id = headingId ?? ownId;
  const isFocusable = headingRef !== undefined || headingId !== undefined;
  const Heading = useContext(IsGrouped) ? 'h3' : 'h2';
  return (
    <section className={`panel ${className}`} aria-labelledby={id}>
      <header className="panel-header">
        <Heading id={id} ref={headingRef} tabIndex={isFocusable ? -1 : undefined}>
          {title}
        </Heading>
        {aside}
      </header>
      {children}
    </section>
  );
}
