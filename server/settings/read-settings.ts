/** Reads the settings once, from the environment and a file, and reports everything that is wrong with them at once. */
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { StartError } from '../errors.ts';
import { findContradictions } from './setting-contradictions.rules.ts';
import {
  isGiven,
  mayBeInFile,
  type Setting,
  type SettingName,
  type SettingValues,
  settingsTable,
} from './settings-table.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

type ReadSettings = {
  /** The texts in the environment or the settings file. */
  readonly texts: Environment;
  readonly values: SettingValues;
};

/**
 * Reads the settings. Throws `StartError` naming each variable that is unknown or wrong, never with a secret in its
 * message.
 */
export function readSettings(environment: Environment): ReadSettings {
  const file = readEnvFile(environment.LATCHKEY_ENV_FILE);
  const { texts, problems: unreadable } = readSecretFiles({ ...file.texts, ...withoutEmpty(environment) });
  const { values, wrong } = parseSettings(texts);
  // The content of an unreadable file is unknown, so contradictions cannot be determined.
  const isComplete = file.problem === undefined && unreadable.length === 0;
  const contradictions = isComplete ? findContradictions(texts, values, [...wrong.keys()]) : [];
  const problems = [
    file.problem ?? [],
    ...unreadable,
    ...findUnknown(texts),
    ...wrong.values(),
    ...contradictions,
  ].flat();
  if (problems.length > 0) throw new StartError(describeProblems(problems));
  return { texts, values };
}

function readEnvFile(path: string | undefined): { readonly texts: Environment; readonly problem?: string } {
  if (!path) return { texts: {} };
  try {
    return { texts: withoutEmpty(parseEnv(readFileSync(path, 'utf8'))) };
  } catch {
    return { texts: {}, problem: `LATCHKEY_ENV_FILE is wrong: ${path} cannot be read` };
  }
}

/**
 * Replaces each `NAME_FILE` of a secret setting with the content of that file, as Docker and Kubernetes mount secrets.
 * One trailing newline is not part of the secret.
 */
function readSecretFiles(given: Environment): { readonly texts: Environment; readonly problems: readonly string[] } {
  const texts = { ...given };
  const problems: string[] = [];
  for (const name of Object.keys(settingsTable).filter((known) => mayBeInFile(known as SettingName))) {
    const fileName = `${name}_FILE`;
    const path = given[fileName];
    if (path === undefined) continue;
    delete texts[fileName];
    if (given[name] !== undefined) {
      problems.push(`${name} and ${fileName} are both set: unset one of them`);
      continue;
    }
    const secret = readSecret(path);
    if (secret === undefined) problems.push(`${fileName} is wrong: ${path} cannot be read`);
    else if (secret === '') problems.push(`${fileName} is wrong: ${path} is empty`);
    else texts[name] = secret;
  }
  return { texts, problems };
}

function readSecret(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch {
    return undefined;
  }
}

function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name, value]) => isGiven(name, value)));
}

function findUnknown(texts: Environment): string[] {
  const unknown = Object.keys(texts).filter((name) => name.startsWith('LATCHKEY_') && !(name in settingsTable));
  return unknown.map((name) => `${name} is not a setting: check its spelling, or unset it`);
}

/** Parses all settings; `wrong` has a message for each one that has no value because its text is wrong. */
function parseSettings(texts: Environment) {
  const wrong = new Map<SettingName, string>();
  const settings = Object.entries(settingsTable) as [SettingName, Setting][];
  const values = settings.map(([name, setting]) => {
    const text = texts[name] ?? setting.default;
    if (text === undefined) return [name, undefined];
    const parsed = setting.parser.safeParse(text);
    if (!parsed.success) wrong.set(name, `${name} is wrong: ${parsed.error.issues[0]?.message}`);
    return [name, parsed.data];
  });
  return { values: Object.fromEntries(values) as SettingValues, wrong };
}

function describeProblems(problems: readonly string[]): string {
  if (problems.length === 1) return problems.join();
  return `${problems.length} settings are wrong: ${problems.join('; ')}`;
}
