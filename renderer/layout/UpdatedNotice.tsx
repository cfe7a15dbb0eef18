/** A notice after an update of the app, until the user dismisses it; later starts do not show it again. */
import { X } from 'lucide-react';
import { IconButton } from '../components/ActionButton.tsx';
import { Banner } from '../components/Banner.tsx';
import { useMessages } from '../i18n/messages.ts';
import { WhatsNewButton } from '../routes/WhatsNewButton.tsx';
import { dismissUpdate, useApp, useStore } from '../store.ts';
import { focusContent } from './focus-content.ts';

export function UpdatedNotice() {
  const { t } = useMessages();
  const dismiss = () => {
    focusContent();
    dismissUpdate();
  };
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
          <IconButton icon={X} label={t('warnings.dismiss')} onPress={dismiss} />
        </>
      }
    >
      {t('updates.updatedFrom', { version: updatedFrom })}
    </Banner>
  );
}
