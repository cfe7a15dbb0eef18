/** Every language has every message, and every message is used. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { de } from '../../../renderer/i18n/locales/de.ts';
import { en } from '../../../renderer/i18n/locales/en.ts';
import { ja } from '../../../renderer/i18n/locales/ja.ts';
import { errorCodes } from '../../../shared/api/errors.ts';
import { featureFlags } from '../../../shared/api/features.ts';
import type { ActivityKind } from '../../../shared/ipc/app-state.ts';
import type { ClientErrorCode } from '../../../shared/ipc/result.ts';

const others = { de, ja };

/** Each code once; the type makes a new one fail to compile until it is here. */
const clientErrorCodes: Readonly<Record<ClientErrorCode, true>> = {
  SERVER_UNREACHABLE: true,
  SERVER_RESPONSE_INVALID: true,
  NOT_SIGNED_IN: true,
  FEATURE_OFF: true,
  NOT_SUPPORTED_BY_SERVER: true,
  FILE_UNREADABLE: true,
  NOT_A_FILE: true,
  FILE_NOT_WRITTEN: true,
  OWN_INSTALLER_UNKNOWN: true,
  INSTALLER_NOT_PUBLISHED: true,
  SERVER_ADDRESS_INVALID: true,
  STORE_UNAVAILABLE: true,
  CANCELED: true,
  INTERNAL: true,
};

const activityKinds: Readonly<Record<ActivityKind, true>> = {
  'signed-in': true,
  'signed-out': true,
  'session-ended': true,
  'password-changed': true,
  'license-checked': true,
  'license-rejected': true,
  'device-activated': true,
  'device-released': true,
  heartbeat: true,
  'heartbeat-warning': true,
  'went-offline': true,
  'back-online': true,
  'api-key-generated': true,
  'installer-genuine': true,
  'installer-not-genuine': true,
  'history-exported': true,
};

for (const [language, locale] of Object.entries(others)) {
  describe(language, () => {
    test('has the same keys as English', () => {
      expect([...leaves(locale).keys()]).toEqual([...leaves(en).keys()]);
    });

    test('has the same placeholders in each message', () => {
      for (const [key, message] of leaves(locale)) {
        expect([key, placeholders(message)]).toEqual([key, placeholders(leaves(en).get(key) ?? '')]);
      }
    });

    test('has no English message left by mistake', () => {
      const same = [...leaves(locale)].filter(
        ([key, message]) => message === leaves(en).get(key) && /[a-z]{3,} [a-z]{3,}/.test(message),
      );
      expect(same).toEqual([]);
    });
  });
}

test('no message is empty', () => {
  for (const locale of [en, de, ja]) {
    expect([...leaves(locale)].filter(([, message]) => message.trim() === '')).toEqual([]);
  }
});

test('every code of the server and of the client has a message and help', () => {
  const codes = [...errorCodes, ...Object.keys(clientErrorCodes), 'other'];
  expect(Object.keys(en.failure).sort()).toEqual([...codes].sort());
});

test('every feature has a name and a description, without the words on and off', () => {
  expect(Object.keys(en.feature)).toEqual([...featureFlags]);
  for (const { name, does } of Object.values(en.feature)) expect(`${name} ${does}`).not.toMatch(/\b(?:on|off)\b/i);
});

test('every kind of activity has a message', () => {
  expect(Object.keys(en.activity.kind)).toEqual(Object.keys(activityKinds));
});

test('every message is used somewhere in the window', () => {
  const source = sourceOf(resolve(import.meta.dirname, '../../../renderer'));
  const unused = [...leaves(en).keys()].filter((key) => !isUsed(key, source));
  expect(unused).toEqual([]);
});

/** A key is used in full, or as the end of a template whose start is used. */
function isUsed(key: string, source: string): boolean {
  const plain = key.replace(/_(?:one|other)$/, '');
  if (source.includes(`'${plain}'`) || source.includes(`message="${plain}"`)) return true;
  const parts = plain.split('.');
  return (
    parts.some((_, count) => source.includes(`\`${parts.slice(0, count + 1).join('.')}.\${`)) || isStem(plain, source)
  );
}

/** `settings.secrets${…}` and `devices.${…}Hint`: part of the last word varies. */
function isStem(key: string, source: string): boolean {
  return /^settings\.secrets[A-Z]/.test(key) && source.includes('`settings.secrets${');
}

function sourceOf(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.parentPath.endsWith('locales'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
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
