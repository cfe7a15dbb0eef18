/** Notices on every screen before and after an update of the app restarts it. */
import { X } from 'lucide-react';
import { IconButton } from '../components/ActionButton.tsx';
import { Banner } from '../components/Banner.tsx';
import { useMessages } from '../i18n/messages.ts';
import { WhatsNewButton } from '../routes/WhatsNewButton.tsx';
import { dismissUpdate, useApp, useStore } from '../store.ts';

/** Shown while the app is about to restart, which may be long after the update was requested on its own screen. */
export function RestartNotice() {
  const { t } = useMessages();
  const staged = useApp((app) => app.updates.staged);
  const isElsewhere = useStore((store) => store.route !== 'installer');
  if (staged === null || !isElsewhere) return null;
  return <Banner tone="attention" role="status" title={t('updates.staged', { version: staged })} />;
}

/** Shown after an update, until the user dismisses it; later starts do not show it again. */
export function UpdatedNotice() {
  const { t } = useMessages();
  const { version, updatedFrom } = useApp((app) => app.app);
  const isDismissed = useStore((store) => store.updateDismissed);
  if (updatedFrom === undefined || isDismissed) return null;
  return (
    <Banner
      tone="good"
      role="status"
      title={t('updates.updated', { version })}
      actions={
        <>
          <WhatsNewButton />
          <IconButton icon={X} label={t('warnings.dismiss')} onPress={dismissUpdate} />
        </>
      }
    >
      {t('updates.updatedFrom', { version: updatedFrom })}
    </Banner>
  );
}
