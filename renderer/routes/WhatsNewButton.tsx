/** Opens the page about the app's versions; nothing without one. */
import { ExternalLink } from 'lucide-react';
import { bridge } from '../bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { useMessages } from '../i18n/messages.ts';
import { useApp } from '../store.ts';
import { useAttempt } from '../use-action.ts';

export function WhatsNewButton() {
  const { t } = useMessages();
  const attempt = useAttempt();
  const hasPage = useApp((app) => app.app.links.includes('releases'));
  if (!hasPage) return null;
  return (
    <ActionButton icon={ExternalLink} onPress={() => attempt(() => bridge.openLink({ name: 'releases' }))}>
      {t('updates.whatsNew')}
    </ActionButton>
  );
}
