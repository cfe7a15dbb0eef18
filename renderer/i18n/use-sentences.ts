/** The hook by which a component speaks: its sentences and how it writes dates and numbers. */
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { formatLocale } from './sentences.ts';

export type Translate = TFunction;

/** `t` for sentences, `locale` for `Intl`. */
export function useSentences(): { readonly t: Translate; readonly locale: string } {
  const { t, i18n } = useTranslation();
  return { t, locale: formatLocale(i18n.language) };
}
