/** Provides the messages of a language to the components below it. */
import { type ReactNode, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { Settings } from '../../shared/ipc/settings.ts';
import { showToast } from '../components/toast-store.ts';
import { useNow } from '../use-timers.ts';
import { languageFor, languageNames, type MessageLoader, MessagesContext, systemLocale } from './shared-messages.ts';

type Props = {
  readonly messages: MessageLoader;
  /** The setting; `system` follows the system, also when its language changes meanwhile. */
  readonly language: Settings['language'];
  readonly children: ReactNode;
};

/**
 * Renders nothing until the first language has loaded; after that, keeps showing a language until the next one has
 * loaded. A message says so if that cannot be loaded. After a change of the system's time zone, everything below is
 * rendered again, so that no time is left that was formatted for the previous one.
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
  const timeZone = useTimeZone();
  const provided = useMemo(() => shown && { ...shown, timeZone }, [shown, timeZone]);
  return provided && <MessagesContext value={provided}>{children}</MessagesContext>;
}

/** There is no event for its change. */
function useTimeZone(): string {
  useNow();
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function followSystem(onChange: () => void): () => void {
  window.addEventListener('languagechange', onChange);
  return () => window.removeEventListener('languagechange', onChange);
}
