/** A titled part of a view. */
import { type ReactNode, useId } from 'react';

type Props = {
  readonly title: string;
  readonly children: ReactNode;
  /** A link or button at the title's end. */
  readonly aside?: ReactNode;
  readonly className?: string;
};

export function Panel({ title, children, aside, className = '' }: Props) {
  const id = useId();
  return (
    <section className={`panel ${className}`} aria-labelledby={id}>
      <header className="panel-header">
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}
