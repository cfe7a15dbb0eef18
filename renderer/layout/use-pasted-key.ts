/** Takes a license key that is pasted anywhere in the window, or with the text around it, to its field. */
import { useEffect } from 'react';
import { normalizeLicenseKey } from '../../shared/formats/license-key.ts';
import { hintForLicenseKey } from '../i18n/license-key-hint.ts';
import { askLicenseKey, licenseKeyFieldId, needsLicenseKey, setLicenseKey, useApp } from '../store.ts';
import { isTakenElsewhere } from './is-taken-elsewhere.ts';

/** Nothing is sent: the user sees the key in its field, and activates the device there. */
export function usePastedKey(): void {
  const needsKey = useApp(needsLicenseKey);
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      const { target } = event;
      const isField = target instanceof Element && target.id === licenseKeyFieldId;
      if (!isField && (!needsKey || isTakenElsewhere(event))) return;
      const key = findLicenseKey(event.clipboardData?.getData('text') ?? '');
      if (key === null) return;
      event.preventDefault();
      setLicenseKey(key);
      askLicenseKey();
    };
    document.addEventListener('paste', onPaste);
    return () => document.removeEventListener('paste', onPaste);
  }, [needsKey]);
}

/** Returns the only license key in a text, such as a line of the mail that it came with. */
function findLicenseKey(text: string): string | null {
  const found = text.match(/\bSVC(?:[\s-]?[\dA-Z]{4}){4}\b/gi) ?? [];
  const [key, ...others] = new Set(
    found.filter((each) => hintForLicenseKey(each).kind === 'good').map(normalizeLicenseKey),
  );
  return others.length === 0 ? (key ?? null) : null;
}
