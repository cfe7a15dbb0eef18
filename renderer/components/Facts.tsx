/** Names and values in two columns, as a definition list. */
import type { ReactNode } from 'react';

export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className="facts">{children}</dl>;
}

type FactProps = {
  readonly name: string;
  readonly children: ReactNode;
  /** Secondary text after the value. */
  readonly more?: ReactNode;
};

/** The separating dot belongs to the value, so that no line begins with it. */
export function Fact({ name, children, more }: FactProps) {
  const hasMore = more !== undefined && more !== null && more !== false;
  return (
    <div className="fact">
      <dt>{name}</dt>{' '}
      <dd>
        <span className="wrap-anywhere">
          {children}
          {hasMore && <span aria-hidden>{'\u00a0·'}</span>}
        </span>{' '}
        {hasMore && <span className="fact-more">{more}</span>}
      </dd>
    </div>
  );
}
