/** A day such as "3 Mar 2027", with the exact time on hover. */
import { exactTime } from '../../i18n/format.ts';
import { useMessages } from '../i18n/messages.ts';

export function Day({ at }: { readonly at: string }) {
  const { locale } = useMessages();
  return (
    <time dateTime={at} title={exactTime(at, locale)} className="tabular">
      {new Date(at).toLocaleDateString(locale, { dateStyle: 'medium' })}
    </time>
  );
}
