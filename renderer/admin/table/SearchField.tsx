/** The search field of a list. */
import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';

/** Delay of the search after the last keystroke. */
const typingPauseMs = 250;

type SearchFieldProps = {
  readonly label: string;
  /** Describes what can be searched. */
  readonly hint: string;
  /** Search text from the address. */
  readonly value: string;
  /** See `ListToolbar`. */
  readonly toSearch?: (typed: string) => string;
  /** Changes the address. */
  readonly onSearch: (text: string) => void;
  /** Whether the `/` key focuses the field. */
  readonly hasShortcut?: boolean;
};

/** Writes the typed text to the address after a pause, or immediately on Enter. */
export function SearchField({ label, hint, value, toSearch, onSearch, hasShortcut = false }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  const [sent, setSent] = useState(value);
  // Something else changed the address: Back, a link, or the button that clears the filters.
  if (value !== sent) {
    setSent(value);
    setTyped(value);
  }
  const search = (text: string) => {
    const next = toSearch?.(text.trim()) ?? text.trim();
    if (next === sent) return;
    setSent(next);
    onSearch(next);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing restarts the delay
  useEffect(() => {
    const timer = window.setTimeout(() => search(typed), typingPauseMs);
    return () => window.clearTimeout(timer);
  }, [typed]);
  useEffect(() => {
    if (!hasShortcut) return;
    const onKeyDown = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.closest('input, select, textarea, dialog');
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
      event.preventDefault();
      input.current?.focus();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [hasShortcut]);
  return (
    <div className="field-box toolbar-search">
      <Search className="icon" aria-hidden />
      <input
        ref={input}
        type="search"
        className="input"
        aria-label={label}
        placeholder={hint}
        title={hint}
        maxLength={254}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && search(typed)}
      />
    </div>
  );
}
