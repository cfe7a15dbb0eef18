/** The documents of this folder name existing files, and shipped packages have known licenses and are maintained. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readImportedPackages, readShippedPackages, repository } from '../../electron/release/shipped-packages.ts';
import { createNotices, noticesSeparator } from '../../electron/release/third-party-notices.ts';
import { createSbom } from './write-sbom.ts';

const documents = ['README.md', 'asvs.md'];
const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8');

describe.each(documents)('%s', (document) => {
  it('names only files that exist', () => {
    const links = [...read(document).matchAll(/\]\(([^)#\s]+)/g)].map(([, path = '']) => join('tests/security', path));
    const names = [...read(document).matchAll(/`([\w./-]+\.(?:tsx?|json|yml|yaml|conf|md))`/g)].map(
      ([, path = '']) => path,
    );
    expect(names.length).toBeGreaterThan(20);
    expect([...links, ...names].filter((path) => !existsSync(join(repository, path)))).toEqual([]);
  });
});

describe('a shipped package', () => {
  const allowed = [
    ...['MIT', 'MIT-0', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'BlueOak-1.0.0'],
    '(MIT OR CC0-1.0)',
    // For argparse, which js-yaml needs only for its command line.
    'Python-2.0',
  ];
  const shipped = readShippedPackages();

  it('has a license that only requires its notice', () => {
    const licenses = shipped.map(({ path, name, license }) => [name, readLicense(path) ?? license]);
    expect(licenses.length).toBeGreaterThan(150);
    expect(licenses.filter(([, license]) => !allowed.includes(String(license)))).toEqual([]);
  });

  it('is in the SBOM, which has no others', () => {
    const { metadata, components, dependencies } = createSbom();
    const names = new Set(shipped.map(({ name, version }) => `${name}@${version}`));
    expect(new Set(components.map((component) => component['bom-ref']))).toEqual(names);
    expect(metadata.component.name).toBe('latchkey');
    expect(dependencies.length).toBe(components.length + 1);
  });

  it('is in the notices with the text of its license', () => {
    const [, ...sections] = createNotices().split(noticesSeparator);
    const titles = sections.flatMap((section) => section.slice(0, section.indexOf('\n\n')).split('\n'));
    const expected = shipped.map(
      ({ path, name, version, license }) => `${name} ${version} (${readLicense(path) ?? license})`,
    );
    expect(titles.sort()).toEqual([...new Set(expected)].sort());
    const texts = sections.map((section) => section.slice(section.indexOf('\n\n')));
    expect(texts.filter((text) => text.length < 500 || !/permi|licen[cs]e/i.test(text))).toEqual([]);
  });

  /** Returns the license, or `undefined` for a package of another system, which is not installed. */
  function readLicense(path: string): string | undefined {
    const file = join(repository, path, 'package.json');
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).license : undefined;
  }
});

describe('a package that our files import', () => {
  /**
   * The latest release of each, as shown by `npm view NAME time` on that day. For some packages the registry in use
   * knows only when it first saw them, which is never before their release.
   */
  const readOn = '2026-11-25';
  const latestReleases: Readonly<Record<string, string>> = {
    '@fastify/cookie': '2026-10-27',
    '@noble/hashes': '2026-08-27',
    '@node-rs/argon2': '2026-09-10',
    '@node-rs/bcrypt': '2026-10-06',
    '@prometheus-io/client': '2026-08-27',
    '@redis/client': '2026-10-29',
    '@simplewebauthn/browser': '2026-09-02',
    '@simplewebauthn/server': '2026-09-26',
    '@tanstack/react-query': '2026-11-17',
    '@tanstack/react-table': '2026-10-12',
    '@zxcvbn-ts/language-common': '2026-07-17',
    'age-encryption': '2026-09-08',
    commander: '2026-11-07',
    'csv-parse': '2026-09-25',
    'csv-stringify': '2026-09-25',
    dataloader: '2024-12-06',
    electron: '2026-11-24',
    'electron-store': '2026-10-12',
    'electron-updater': '2026-09-26',
    'fast-json-stringify': '2026-11-22',
    fastify: '2026-11-02',
    'ipaddr.js': '2026-08-04',
    kysely: '2026-11-12',
    'lru-cache': '2026-09-19',
    'lucide-react': '2026-11-20',
    negotiator: '2026-08-20',
    'node-machine-id': '2024-06-25',
    nodemailer: '2026-11-20',
    ofetch: '2025-11-01',
    'openid-client': '2026-11-13',
    pg: '2026-09-30',
    pino: '2026-10-02',
    react: '2026-10-14',
    'react-dom': '2026-10-14',
    tar: '2026-11-11',
    undici: '2026-11-20',
    uqr: '2026-04-03',
    uuid: '2026-10-10',
    zod: '2026-10-12',
    zustand: '2026-11-06',
  };

  /** Why the others may be older, and what is done about it. */
  const exceptions = {
    'node-machine-id': 'prescribed; behind the port Machine, which counts only what has the form of an id',
  };

  it('has a date in the table above', () => {
    expect(readImportedPackages()).toEqual(Object.keys(latestReleases).sort());
  });

  it('had a release in the previous two years, with listed exceptions', () => {
    const twoYearsBefore = `${Number(readOn.slice(0, 4)) - 2}${readOn.slice(4)}`;
    const old = Object.entries(latestReleases).filter(([, released]) => released < twoYearsBefore);
    expect(old.map(([name]) => name)).toEqual(Object.keys(exceptions));
  });
});
