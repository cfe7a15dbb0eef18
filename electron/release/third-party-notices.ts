/**
 * The notices required by the licenses of everything that ships, as one text. Vite's `build.license` omits files named
 * NOTICE and what no bundle contains: the native packages, Electron, and the Node that npm installs.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readShippedPackages, repository, type ShippedPackage } from './shipped-packages.ts';

/** File name of the notices, both in dist/, where `npm run build` writes them, and in what ships. */
export const noticesName = 'THIRD-PARTY-NOTICES.txt';

export const noticesSeparator = `\n\n${'='.repeat(80)}\n\n`;

const introduction = `Latchkey's server, its pages and its desktop app contain these packages, or parts of them.
Above each text are the packages that it belongs to, with their versions and licenses.`;

/** Packages with the same text share it: their names, versions and licenses precede it, one per line. */
export function createNotices(): string {
  const packages = readShippedPackages();
  const titlesByText = new Map<string, Set<string>>();
  for (const each of packages) {
    const { license = each.license } = readManifest(each);
    const text = findText(each, packages);
    const titles = titlesByText.get(text) ?? new Set();
    titlesByText.set(text, titles.add(`${each.name} ${each.version} (${license})`));
  }
  const sections = [...titlesByText].map(([text, titles]) => `${[...titles].sort().join('\n')}\n\n${text}`);
  return `${[introduction, ...sections.sort()].join(noticesSeparator)}\n`;
}

/**
 * Returns the notices of the package, or of its variant for another system, since some variants are not installed and
 * some have no such file.
 */
function findText(wanted: ShippedPackage, packages: readonly ShippedPackage[]): string {
  const same = packages.filter(({ name }) => withoutSystem(name) === withoutSystem(wanted.name));
  return [wanted, ...same].map(readNotices).find((text) => text !== '') ?? describe(wanted);
}

function withoutSystem(name: string): string {
  return name.replace(/-(?:android|darwin|freebsd|linux|win|win32)-[\w-]+$/, '');
}

/** Returns an empty string if the package has none or is not installed. */
function readNotices({ path }: ShippedPackage): string {
  const folder = join(repository, path);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter(
      (name) => /^(?:licen[cs]e|copying|copyright|notice)/i.test(name) && !/\.(?:[cm]?[jt]s|json|map)$/.test(name),
    )
    .sort()
    .map((name) => readText(join(folder, name)))
    .join('\n\n');
}

/** Returns what `package.json` says, with the text of the license if it is MIT, like ours. */
function describe(wanted: ShippedPackage): string {
  const { author, license = wanted.license, repository: source } = readManifest(wanted);
  const holder = (typeof author === 'string' ? author : author?.name) ?? `the authors of ${source?.url ?? wanted.name}`;
  const own = readText(join(repository, 'LICENSE'));
  const text = license === 'MIT' ? `\n\n${own.slice(own.indexOf('Permission is hereby granted'))}` : '';
  return `Without a file of its license. By ${holder}.${text}`;
}

type Manifest = Readonly<
  Partial<{ license: string; author: string | { readonly name?: string }; repository: { readonly url?: string } }>
>;

/** Returns an empty object if the package is not installed. */
function readManifest({ path }: ShippedPackage): Manifest {
  const file = join(repository, path, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

function readText(file: string): string {
  return readFileSync(file, 'utf8').replaceAll('\r\n', '\n').trim();
}
