/** Gives the components below it the messages of a language. */
import { type ReactNode, useEffect, useState } from 'react';
import type { Language } from '../../shared/ipc/language.ts';
import { loadedMessages, loadMessages, MessagesContext } from './messages.ts';

type Props = { readonly language: Language; readonly children: ReactNode };

/** Renders nothing until the first language is loaded; from then on shows a language until the next one is loaded. */
export function MessagesProvider({ language, children }: Props) {
  const [shown, setShown] = useState(loadedMessages(language));
  useEffect(() => {
    let wanted = true;
    void loadMessages(language).then((messages) => wanted && setShown(messages));
    return () => {
      wanted = false;
    };
  }, [language]);
  useEffect(() => {
    if (shown !== null) document.documentElement.lang = shown.language;
  }, [shown]);
  return shown && <MessagesContext value={shown}>{children}</MessagesContext>;
}
