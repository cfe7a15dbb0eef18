/**
 * A notice above every screen when the subscription ends soon and does not renew, or its payment has failed, unless the
 * user wants to be reminded later. The state header covers the end of offline use.
 */
import { dayMs, isPostponed, subscriptionEndsSoon } from '../../shared/ipc/ends-soon.ts';
import { bridge } from '../bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { Banner } from '../components/Banner.tsx';
import { fullDay } from '../i18n/format.ts';
import { useMessages } from '../i18n/messages.ts';
import { PlansButton } from '../routes/FeaturesPanel.tsx';
import { useApp } from '../store.ts';
import { useAttempt } from '../use-action.ts';
import { useServerNow } from '../use-server-now.ts';

export function EndingNotice() {
  const { t, locale } = useMessages();
  const now = useServerNow();
  const license = useApp((app) => app.license);
  const lease = useApp((app) => app.lease);
  const session = useApp((app) => app.session);
  const remindAt = useApp((app) => app.settings.remindAt);
  const hasPage = useApp((app) => app.app.links.includes('plans'));
  const ending = subscriptionEndsSoon({ license, lease, session }, now);
  if (ending === undefined || isPostponed(ending, remindAt, now)) return null;
  const date = fullDay(ending.at, locale);
  const canWait = Date.parse(ending.at) - now > dayMs;
  return (
    <Banner
      tone="attention"
      role="status"
      title={t(`ending.${ending.kind}.title`, { date })}
      actions={
        <>
          {hasPage && <PlansButton />}
          {canWait && <LaterButton />}
        </>
      }
    >
      {t(`ending.${ending.kind}.${hasPage ? 'renew' : 'ask'}`, { date })}
    </Banner>
  );
}

/** Hides the notice for a day. */
function LaterButton() {
  const { t } = useMessages();
  const attempt = useAttempt();
  const now = useServerNow();
  const postpone = () => {
    const remindAt = new Date(now + dayMs).toISOString();
    attempt(
      () => bridge.changeSettings({ remindAt }),
      () => t('ending.postponed'),
    );
  };
  return (
    <ActionButton variant="quiet" onPress={postpone}>
      {t('ending.later')}
    </ActionButton>
  );
}
