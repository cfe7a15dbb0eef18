/** Looks messages up by their key, chooses the plural form, and fills in values. */
import type { Language } from '../../shared/ipc/language.ts';

/** The path of each message without plural suffixes: `devices.listIntro` for `devices: { listIntro_one, listIntro_other }`. */
export type MessageKeyOf<Tree, Path extends string = ''> = {
  [Name in keyof Tree & string]: Tree[Name] extends string
    ? `${Path}${WithoutPlural<Name>}`
    : MessageKeyOf<Tree[Name], `${Path}${Name}.`>;
}[keyof Tree & string];

type WithoutPlural<Name extends string> = Name extends `${infer Stem}_${Intl.LDMLPluralRule}` ? Stem : Name;

type Values = Readonly<Record<string, string | number>>;

/** Assignable to the `Translate` of any part of its messages. */
export type Translate<Messages> = {
  /** Fills each `{{name}}` with the value of that name; `count` also chooses among plural forms. */
  (key: MessageKeyOf<Messages>, values?: Values): string;
  /** The message of a key that contains what a server sent; `undefined` if there is none. */
  readonly find: (key: string) => string | undefined;
};

/** A key that has no message is returned as it is. */
export function createTranslate<Messages extends Tree>(language: Language, messages: Messages): Translate<Messages> {
  const byKey = new Map(messagesByKey(messages));
  const plurals = new Intl.PluralRules(language);
  const find = (key: string, { count }: Values) =>
    (typeof count === 'number' ? byKey.get(`${key}_${plurals.select(count)}`) : undefined) ?? byKey.get(key) ?? key;
  const translate = (key: string, values: Values = {}) =>
    find(key, values).replace(/\{\{(\w+)\}\}/g, (placeholder, name) => String(values[name] ?? placeholder));
  return Object.assign(translate, { find: (key: string) => byKey.get(key) });
}

export type Tree = { readonly [name: string]: string | Tree };

function* messagesByKey(tree: Tree, path = ''): Generator<readonly [string, string]> {
  for (const [name, value] of Object.entries(tree)) {
    if (typeof value === 'string') yield [path + name, value];
    else yield* messagesByKey(value, `${path}${name}.`);
  }
}
