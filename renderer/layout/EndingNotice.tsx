/**
 * A notice above every screen when the subscription ends soon and does not renew. The state header covers the end of
 * offline use.
 */
import { endsSoon } from '../../shared/ipc/ends-soon.ts';
import { Banner } from '../components/Banner.tsx';
import { fullDay } from '../i18n/format.ts';
import { useMessages } from '../i18n/messages.ts';
import { PlansButton } from '../routes/FeaturesPanel.tsx';
import { useApp } from '../store.ts';
import { useNow } from '../use-timers.ts';

export function EndingNotice() {
  const { t, locale } = useMessages();
  const now = useNow();
  const license = useApp((app) => app.license);
  const lease = useApp((app) => app.lease);
  const session = useApp((app) => app.session);
  const hasPage = useApp((app) => app.app.links.includes('plans'));
  const ending = endsSoon({ license, lease, session }, now).find(({ kind }) => kind === 'subscription');
  if (ending === undefined) return null;
  return (
    <Banner
      tone="attention"
      role="status"
      title={t('ending.title', { date: fullDay(ending.at, locale) })}
      actions={hasPage && <PlansButton />}
    >
      {t(hasPage ? 'ending.renew' : 'ending.ask')}
    </Banner>
  );
}
