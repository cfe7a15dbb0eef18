/** Finds text on a page in the pseudo-locale that does not come from a message. */
import type { Page } from '@playwright/test';
import { platformName } from '../../renderer/i18n/format.ts';
import { languageNames } from '../../renderer/i18n/shared-messages.ts';
import { seededFeatures } from '../../shared/seeded-feature-texts.ts';
import { brackets } from './pseudo-locale.ts';

/** A license key, in full or as a preview, which may have letters only. */
const licenseKey = /^SVC(-[0-9A-Z]{4}){4}$|^SVC-[0-9A-Z]{4}\.{3}[0-9A-Z]{4}$/;

/**
 * Puts the output of `Intl` in brackets as well, since it is in the language of the page. Call this before opening the
 * page.
 */
export async function markFormatted(page: Page): Promise<void> {
  await page.addInitScript(({ open, close }) => {
    const mark = (prototype: object, name: string) => {
      const original = Reflect.get(prototype, name);
      Reflect.set(prototype, name, function (this: object, ...given: unknown[]) {
        return open + original.apply(this, given) + close;
      });
    };
    for (const name of ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']) mark(Date.prototype, name);
    mark(Intl.DateTimeFormat.prototype, 'formatRange');
    mark(Intl.RelativeTimeFormat.prototype, 'format');
  }, brackets);
}

/**
 * Returns each text, and each name and description for screen readers, that is neither a message nor a text in `data`.
 */
export async function findUntranslated(page: Page, data: unknown): Promise<string[]> {
  const given = textsIn([data, seededFeatures, languageNames]);
  const known = new Set(['Latchkey', ...given, ...given.map(platformName)]);
  const shown = await page.evaluate(textsOutside, brackets);
  return shown
    .flatMap((text) => text.split(/(?:^|\s)[·:](?:\s|$)/))
    .filter((text) => isProse(text) && !known.has(text));
}

/** Returns false for numbers and for words with digits, such as a key, a hash, a version or a file name. */
function isProse(text: string): boolean {
  return /\p{L}/u.test(text) && !/^\S*\d\S*$/.test(text) && !licenseKey.test(text);
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/**
 * Runs in the page. A toast keeps the language in which it was shown, and code is the same in every language. A message may contain elements, so brackets are
 * counted over the whole page.
 */
function textsOutside({ open, close }: typeof brackets): string[] {
  const outside: string[] = [];
  let depth = 0;
  let last: Node | null = null;
  const read = (text: string, container: Node | null) => {
    let rest = '';
    for (const character of text) {
      if (character === open) depth += 1;
      if (depth === 0) rest += character;
      if (character === close) depth -= 1;
    }
    // A text may contain elements that allow a line break.
    if (container !== null && container === last) outside.push(outside.pop() + rest);
    else outside.push(rest);
    last = container;
  };
  const attributes = ['aria-label', 'aria-description', 'aria-valuetext', 'title', 'alt', 'placeholder'];
  read(document.title, null);
  const walker = document.createTreeWalker(document.body);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node instanceof Text && !node.parentElement?.closest('script, textarea, code, .toasts'))
      read(node.data, node.parentNode);
    if (!(node instanceof Element) || node.tagName === 'WBR') continue;
    const before = depth;
    for (const name of attributes) {
      depth = 0;
      read(node.getAttribute(name) ?? '', null);
    }
    depth = before;
  }
  if (depth !== 0) outside.push('a bracket without the other one');
  return outside.map((text) => text.trim());
}
