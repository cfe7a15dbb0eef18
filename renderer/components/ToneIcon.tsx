/** The icon of one of the four states, so that colour is never alone. */
import { CircleCheck, CircleHelp, CircleX, type LucideIcon, TriangleAlert } from 'lucide-react';
import type { Tone } from '../i18n/license-sentence.ts';

const icons: Readonly<Record<Tone, LucideIcon>> = {
  good: CircleCheck,
  attention: TriangleAlert,
  blocked: CircleX,
  unknown: CircleHelp,
};

export function ToneIcon({ tone }: { readonly tone: Tone }) {
  const Icon = icons[tone];
  return <Icon className={`icon tone-icon tone-${tone}`} aria-hidden />;
}
