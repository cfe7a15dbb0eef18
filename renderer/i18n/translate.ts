/** Looks up messages by key, chooses the plural form, and fills in values. */
import type { Language } from '../../shared/ipc/language.ts';

/**
 * Path of each message without plural suffixes: `devices.listIntro` for `devices: { listIntro_one, listIntro_other }`.
 */
export type MessageKeyOf<Tree, Path extends string = ''> = {
  [Name in keyof Tree & string]: Tree[Name] extends string
    ? `${Path}${WithoutPlural<Name>}`
    : MessageKeyOf<Tree[Name], `${Path}${Name}.`>;
}[keyof Tree & string];

type WithoutPlural<Name extends string> = Name extends `${infer Stem}_${Intl.LDMLPluralRule}` ? Stem : Name;

type Values = Readonly<Record<string, string | number>>;

/** Assignable to the `Translate` of any subset of its messages. */
export type Translate<Messages> = {
  /** Fills each `{{name}}` with the value of that name; `count` also selects the plural form. */
  (key: MessageKeyOf<Messages>, values?: Values): string;
  /** Returns the message for a key that contains a server's value; `undefined` if there is none. */
  readonly find: (key: string) => string | undefined;
};

/** Creates a translate function; a key without a message is returned unchanged. */
export function createTranslate<Messages extends Tree>(language: Language, messages: Messages): Translate<Messages> {
  const byKey = new Map(messagesByKey(messages));
  const plurals = new Intl.PluralRules(language);
  const find = (key: string, { count }: Values) =>
    (typeof count === 'number' ? byKey.get(`${key}_${plurals.select(count)}`) : undefined) ?? byKey.get(key) ?? key;
  const translate = (key: string, values: Values = {}) =>
    find(key, values).replace(/\{\{(\w+)\}\}/g, (placeholder, name) => isolate(String(values[name] ?? placeholder)));
  return Object.assign(translate, { find: (key: string) => byKey.get(key) });
}

const rightToLeft = /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc]/;
const directionControls = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * Keeps a value, such as the name of a device, from reordering the sentence around it: removes its own controls of the
 * direction, and isolates a text from right to left.
 */
function isolate(value: string): string {
  const text = value.replace(directionControls, '');
  return rightToLeft.test(text) ? `\u2068${text}\u2069` : text;
}

export type Tree = { readonly [name: string]: string | Tree };

function* messagesByKey(tree: Tree, path = ''): Generator<readonly [string, string]> {
  for (const [name, value] of Object.entries(tree)) {
    if (typeof value === 'string') yield [path + name, value];
    else yield* messagesByKey(value, `${path}${name}.`);
  }
}
