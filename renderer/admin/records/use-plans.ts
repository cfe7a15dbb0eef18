/** Plan names for selects and filters. */
import { planName } from '../../i18n/format.ts';
import { useRead } from '../api/queries.ts';
import { useMessages } from '../i18n/messages.ts';

/** Returns the plan options; empty until they have loaded. */
export function usePlanOptions(): readonly { readonly id: string; readonly name: string }[] {
  const { t } = useMessages();
  const { data } = useRead('plans');
  return (data?.plans ?? []).map(({ name }) => ({ id: name, name: planName(name, t) }));
}
