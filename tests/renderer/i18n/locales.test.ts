/** Every language of the window and of the admin page has every message, and every message is used. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { de as adminDe } from '../../../renderer/admin/locales/de.ts';
import { en as adminEn } from '../../../renderer/admin/locales/en.ts';
import { ja as adminJa } from '../../../renderer/admin/locales/ja.ts';
import { de } from '../../../renderer/i18n/locales/de.ts';
import { en } from '../../../renderer/i18n/locales/en.ts';
import { ja } from '../../../renderer/i18n/locales/ja.ts';
import { sharedEn } from '../../../renderer/i18n/locales/shared-en.ts';
import { errorCodes } from '../../../shared/api/errors.ts';
import type { ActivityKind } from '../../../shared/ipc/app-state.ts';
import { languages } from '../../../shared/ipc/language.ts';
import { clientErrorCodes } from '../../../shared/ipc/result.ts';
import { seededFeatures } from '../../../shared/seeded-feature-texts.ts';

const folder = resolve(import.meta.dirname, '../../../renderer');
/** Each page with its English messages and the others. */
const pages = [
  { page: 'window', english: en, others: { de, ja } },
  { page: 'admin page', english: adminEn, others: { de: adminDe, ja: adminJa } },
] as const;
const translations = pages.flatMap(({ page, english, others }) =>
  Object.entries(others).map(([language, locale]) => ({ name: `${language} of the ${page}`, english, locale })),
);

/** Every kind once; the type makes a new kind fail to compile until it is listed here. */
const activityKinds: Readonly<Record<ActivityKind, true>> = {
  'signed-in': true,
  'signed-out': true,
  'session-ended': true,
  'password-changed': true,
  'email-changed': true,
  'license-checked': true,
  'license-rejected': true,
  'license-unreadable': true,
  'device-activated': true,
  'device-released': true,
  'device-renamed': true,
  'lease-imported': true,
  'lease-ended': true,
  heartbeat: true,
  'heartbeat-warning': true,
  'went-offline': true,
  'back-online': true,
  'api-key-generated': true,
  'api-key-revoked': true,
  'api-key-reported': true,
  'leaked-key-reported': true,
  'license-key-replaced': true,
  'installer-genuine': true,
  'installer-not-genuine': true,
  'history-exported': true,
};

/** In German, a no-break space stands before an ellipsis that follows a whole word. */
const withoutNoBreakSpace = /[\p{L} ]…/u;
/** In Japanese, punctuation is full-width. */
const halfWidth = /[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Han}}>] ?[:?!(]/u;

for (const { name, english, locale } of translations) {
  describe(name, () => {
    const [messages, englishMessages] = [leaves(locale), leaves(english)];

    test('has the same keys as English', () => {
      expect([...messages.keys()]).toEqual([...englishMessages.keys()]);
    });

    test('has the same placeholders in each message', () => {
      const placeholdersOf = (each: typeof messages) => [...each].map(([key, text]) => [key, placeholders(text)]);
      expect(placeholdersOf(messages)).toEqual(placeholdersOf(englishMessages));
    });

    test('has no English message left by mistake', () => {
      const same = [...messages].filter(
        ([key, message]) => message === englishMessages.get(key) && /[a-z]{3,} [a-z]{3,}/.test(message),
      );
      expect(same).toEqual([]);
    });

    test('follows the typography of its language', () => {
      const wrong = name.startsWith('de') ? withoutNoBreakSpace : halfWidth;
      expect([...messages].filter(([, message]) => wrong.test(message))).toEqual([]);
    });
  });
}

test('no message is empty', () => {
  for (const { english, locale } of translations) {
    for (const each of [english, locale]) {
      expect([...leaves(each)].filter(([, message]) => message.trim() === '')).toEqual([]);
    }
  }
});

test('every code of the server and of the client has a message and help', () => {
  const codes = [...errorCodes, ...clientErrorCodes, 'other'];
  expect(Object.keys(en.failure).sort()).toEqual([...codes].sort());
});

test('every feature has a name and a description, without the words on and off', () => {
  for (const { title, does } of seededFeatures) {
    for (const language of languages) expect([title[language], does[language]]).not.toContain(undefined);
    expect(`${title.en} ${does.en}`).not.toMatch(/\b(?:on|off)\b/i);
  }
});

test('every kind of activity has a message', () => {
  expect(Object.keys(en.activity.kind)).toEqual(Object.keys(activityKinds));
});

test.each(pages)('every message of the $page is used somewhere in it', ({ page, english }) => {
  const isAdmin = (path: string) => path.startsWith('admin');
  const isShared = (path: string) => /^(?:components|i18n|use-action)/.test(path);
  const source = sourceOf((path) => isShared(path) || isAdmin(path) === (page === 'admin page'));
  const shared = leaves(sharedEn);
  const unused = [...leaves(english).keys()].filter((key) => !shared.has(key) && !isUsed(key, source));
  expect(unused).toEqual([]);
});

test('every message shared by both pages is used somewhere', () => {
  const source = sourceOf(() => true);
  expect([...leaves(sharedEn).keys()].filter((key) => !isUsed(key, source))).toEqual([]);
});

/** True if the key is used in full, or as the end of a template whose start is used. */
function isUsed(key: string, source: string): boolean {
  const plain = key.replace(/_(?:one|other)$/, '');
  if (source.includes(`'${plain}'`) || source.includes(`message="${plain}"`)) return true;
  const parts = plain.split('.');
  return (
    parts.some((_, count) => source.includes(`\`${parts.slice(0, count + 1).join('.')}.\${`)) || isStem(plain, source)
  );
}

/** True for `settings.secrets${…}`, where a part of the last word varies. */
function isStem(key: string, source: string): boolean {
  return /^settings\.secrets[A-Z]/.test(key) && source.includes('`settings.secrets${');
}

/** The sources whose path in `renderer/` belongs to a page. */
function sourceOf(isOfPage: (path: string) => boolean): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !path.includes('locales') && isOfPage(path))
    .map((path) => readFileSync(join(folder, path), 'utf8'))
    .join('\n');
}

function leaves(tree: object, path = ''): Map<string, string> {
  return new Map(
    Object.entries(tree).flatMap(([key, value]: [string, unknown]) => {
      const full = path === '' ? key : `${path}.${key}`;
      if (typeof value === 'string') return [[full, value] as const];
      return [...leaves(value as object, full)];
    }),
  );
}

function placeholders(message: string): readonly string[] {
  return [...message.matchAll(/\{\{\w+\}\}|<\w+\/>/g)].map(([name]) => name).sort();
}
