/** Provides the messages of a language to the components below it. */
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import type { Settings } from '../../shared/ipc/settings.ts';
import { showToast } from '../components/toast-store.ts';
import { languageFor, languageNames, type MessageLoader, MessagesContext, systemLocale } from './shared-messages.ts';

type Props = {
  readonly messages: MessageLoader;
  /** The setting; `system` follows the system, also when its language changes meanwhile. */
  readonly language: Settings['language'];
  readonly children: ReactNode;
};

/**
 * Renders nothing until the first language has loaded; after that, keeps showing a language until the next one has
 * loaded. A message says so if that cannot be loaded.
 */
export function MessagesProvider({ messages, language: setting, children }: Props) {
  const system = useSyncExternalStore(followSystem, systemLocale);
  const language = languageFor(setting, system);
  const [shown, setShown] = useState(messages.loaded(language, system));
  useEffect(() => {
    let wanted = true;
    const keepLatest = () => {
      const latest = messages.latest();
      if (!wanted || latest === null) return;
      setShown((kept) => kept ?? latest);
      const { t } = latest;
      const what = t('appearance.languageNotLoaded', { language: languageNames[language] });
      showToast(`${what} ${t('failure.CODE_NOT_LOADED.help')}`, 'blocked');
    };
    messages.load(language, system).then((loaded) => wanted && setShown(loaded), keepLatest);
    return () => {
      wanted = false;
    };
  }, [messages, language, system]);
  useEffect(() => {
    if (shown !== null) document.documentElement.lang = shown.language;
  }, [shown]);
  return shown && <MessagesContext value={shown}>{children}</MessagesContext>;
}

function followSystem(onChange: () => void): () => void {
  window.addEventListener('languagechange', onChange);
  return () => window.removeEventListener('languagechange', onChange);
}
