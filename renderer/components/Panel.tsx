/** A titled part of a view. */
import { type ReactNode, type Ref, useId } from 'react';

type Props = {
  readonly title: string;
  readonly children: ReactNode;
  /** A link or button at the title's end. */
  readonly aside?: ReactNode;
  readonly className?: string;
  /** For a heading that takes the focus when what had it is gone. */
  readonly headingRef?: Ref<HTMLHeadingElement>;
};

export function Panel({ title, children, aside, className = '', headingRef }: Props) {
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
