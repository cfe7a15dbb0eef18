/** What an open record is made of: its heading, sections, and the buttons that act on it. */
import { type ReactNode, useId } from 'react';

type RecordHeadingProps = {
  readonly title: ReactNode;
  /** Below the title: a badge, or whose it is. */
  readonly children?: ReactNode;
};

export function RecordHeading({ title, children }: RecordHeadingProps) {
  return (
    <header className="record-heading">
      <h2 className="wrap-anywhere">{title}</h2>
      {children !== undefined && <div className="record-subtitle">{children}</div>}
    </header>
  );
}

type RecordSectionProps = {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
};

export function RecordSection({ title, aside, children }: RecordSectionProps) {
  const id = useId();
  return (
    <section className="record-section" aria-labelledby={id}>
      <header className="record-section-header">
        <h3 id={id}>{title}</h3>
        {aside}
      </header>
      {children}
    </section>
  );
}

/** Nothing where there is no button: a viewer sees none. */
export function RecordActions({ children }: { readonly children: ReactNode }) {
  return <div className="record-actions">{children}</div>;
}
