/** Looks messages up by their key, chooses the plural form, and fills in values. */
import type { Language } from '../../shared/ipc/language.ts';
import type { Messages } from './locales/en.ts';

/** The path of each message without plural suffixes: `devices.listIntro` for `devices: { listIntro_one, listIntro_other }`. */
type KeysOf<Tree, Path extends string = ''> = {
  [Name in keyof Tree & string]: Tree[Name] extends string
    ? `${Path}${WithoutPlural<Name>}`
    : KeysOf<Tree[Name], `${Path}${Name}.`>;
}[keyof Tree & string];

type WithoutPlural<Name extends string> = Name extends `${infer Stem}_${Intl.LDMLPluralRule}` ? Stem : Name;

export type MessageKey = KeysOf<Messages>;

type Values = Readonly<Record<string, string | number>>;

export type Translate = {
  /** Fills each `{{name}}` with the value of that name; `count` also chooses among plural forms. */
  (key: MessageKey, values?: Values): string;
  /** Whether there is such a message, for keys that contain what a server sent. */
  readonly has: (key: string) => key is MessageKey;
};

/** A key that has no message is returned as it is. */
export function createTranslate(language: Language, messages: Messages): Translate {
  const byKey = new Map(messagesByKey(messages));
  const plurals = new Intl.PluralRules(language);
  const find = (key: string, { count }: Values) =>
    (typeof count === 'number' ? byKey.get(`${key}_${plurals.select(count)}`) : undefined) ?? byKey.get(key) ?? key;
  const translate = (key: string, values: Values = {}) =>
    find(key, values).replace(/\{\{(\w+)\}\}/g, (placeholder, name) => String(values[name] ?? placeholder));
  return Object.assign(translate, { has: (key: string): key is MessageKey => byKey.has(key) });
}

type Tree = { readonly [name: string]: string | Tree };

function* messagesByKey(tree: Tree, path = ''): Generator<readonly [string, string]> {
  for (const [name, value] of Object.entries(tree)) {
    if (typeof value === 'string') yield [path + name, value];
    else yield* messagesByKey(value, `${path}${name}.`);
  }
}
