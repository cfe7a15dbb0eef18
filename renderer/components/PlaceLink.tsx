/** A quiet link to another place, named for what is found there. */
import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { addressOf, type Place } from '../routing.ts';

export function PlaceLink({ place, children }: { readonly place: Place; readonly children: ReactNode }) {
  return (
    <a className="link link-place" href={addressOf(place)}>
      {children}
      <ChevronRight className="icon icon-small" aria-hidden />
    </a>
  );
}
