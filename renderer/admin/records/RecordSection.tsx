/** Building blocks of an open record: its heading, sections and action buttons. */
import { type ReactNode, useId } from 'react';

type RecordHeadingProps = {
  readonly title: ReactNode;
  /** Shown below the title: a badge, or the owner. */
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

/** Action buttons of a record; hidden when empty, as for viewers. */
export function RecordActions({ children }: { readonly children: ReactNode }) {
  return <div className="record-actions">{children}</div>;
}
