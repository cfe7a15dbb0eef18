/** Reminds of a key that is shown once and not saved yet, wherever else the person went. */
import { ActButton } from '../components/ActButton.tsx';
import { Banner } from '../components/Banner.tsx';
import { useSentences } from '../i18n/use-sentences.ts';
import { goTo } from '../routing.ts';
import { useApp, useStore } from '../store.ts';

export function UnsavedKeyReminder() {
  const { t } = useSentences();
  const place = useStore((store) => store.place);
  const unsaved = useApp((app) => app.apiKey?.unsaved ?? false);
  if (!unsaved || place === 'apiKey') return null;
  return (
    <Banner
      tone="attention"
      title={t('apiKey.waiting')}
      acts={<ActButton onPress={() => goTo('apiKey')}>{t('apiKey.show')}</ActButton>}
    />
  );
}
