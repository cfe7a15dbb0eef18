/** A link to another screen of the window. */
import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { hrefOf, type Route } from '../routing.ts';

export function RouteLink({ route, children }: { readonly route: Route; readonly children: ReactNode }) {
  return (
    <a className="link link-route" href={hrefOf(route)}>
      {children}
      <ChevronRight className="icon icon-small" aria-hidden />
    </a>
  );
}
