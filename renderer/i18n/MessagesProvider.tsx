/** Provides the messages of a language to the components below it. */
import { type ReactNode, useEffect, useState } from 'react';
import type { Language } from '../../shared/ipc/language.ts';
import { type MessageLoader, MessagesContext } from './shared-messages.ts';

type Props = { readonly messages: MessageLoader; readonly language: Language; readonly children: ReactNode };

/**
 * Renders nothing until the first language has loaded; after that, keeps showing a language until the next one has
 * loaded.
 */
export function MessagesProvider({ messages, language, children }: Props) {
  const [shown, setShown] = useState(messages.loaded(language));
  useEffect(() => {
    let wanted = true;
    void messages.load(language).then((loaded) => wanted && setShown(loaded));
    return () => {
      wanted = false;
    };
  }, [messages, language]);
  useEffect(() => {
    if (shown !== null) document.documentElement.lang = shown.language;
  }, [shown]);
  return shown && <MessagesContext value={shown}>{children}</MessagesContext>;
}
