/** The documents match the code: generated sections are current, and links lead to something that exists. */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documents } from './documents.ts';
import { writeSections } from './generated-sections.ts';
import { findExamples, typeErrorsOf } from './readme-examples.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

describe('generated sections', () => {
  it.each(Object.entries(documents))('of %s are current (npm run docs writes them)', (path, sections) => {
    expect(read(path)).toBe(writeSections(read(path), sections));
  });
});

describe('links', () => {
  const documentsOfTheRepository = globSync(['*.md', '{shared,server,electron,renderer,tests}/**/*.md'], { cwd: root });

  it.each(documentsOfTheRepository)('in %s lead to an existing file, picture or heading', (path) => {
    const text = read(path);
    const targets = [...text.matchAll(/(?:\]\(|src(?:set)?=")([^)\s"]+)/g)].map(([, target = '']) => target);
    const broken = targets.filter((target) => !/^[a-z]+:/.test(target) && !leadsSomewhere(path, target));
    expect(broken).toEqual([]);
  });

  function leadsSomewhere(from: string, target: string): boolean {
    const [file = '', anchor] = target.split('#');
    const path = file === '' ? from : join(dirname(from), file);
    if (!existsSync(join(root, path))) return false;
    return anchor === undefined || anchorsOf(read(path)).includes(anchor);
  }

  function anchorsOf(text: string): string[] {
    const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
    return headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(' ', '-'),
    );
  }
});

const pages = globSync('server/docs/*.md', { cwd: root });

describe('a reader in a hurry', () => {
  const limits = {
    'README.md': 8_000,
    'server/README.md': 10_000,
    ...Object.fromEntries(pages.map((path) => [path, 10_000])),
  };

  it.each(Object.entries(limits))('has only a short text to read in %s', (path, bytes) => {
    expect(statSync(join(root, path)).size).toBeLessThanOrEqual(bytes);
  });

  it.each(pages.filter((path) => path !== 'server/docs/libraries.md'))('is told first what %s is for', (path) => {
    expect(read(path)).toMatch(/^# [^\n]+\n\nYou want /);
  });

  it('can reach every page of server/docs from server/README.md', () => {
    const links = [...read('server/README.md').matchAll(/\]\((docs\/[\w-]+\.md)/g)].map(([, path]) => `server/${path}`);
    expect(pages.filter((path) => !links.includes(path))).toEqual([]);
  });
});

describe('the references in the server pages', () => {
  const documentsOfTheServer = ['server/README.md', 'server/deploy/README.md', ...pages];
  const find = (path: string, pattern: RegExp) => [...read(path).matchAll(pattern)].map(([, name = '']) => name);
  const commands = find('server/docs/commands.md', /^\| `([a-z-]+(?: [a-z-]+)?)[ `]/gm);
  const nouns = new Set(commands.map((command) => command.split(' ')[0]));

  it.each(documentsOfTheServer)('in %s name existing files', (path) => {
    const named = find(path, /`((?!X\/)[\w./-]+\.ts)`/g);
    expect(named.filter((file) => ['server', '.'].every((folder) => !existsSync(join(root, folder, file))))).toEqual(
      [],
    );
  });

  it.each(documentsOfTheServer)('in %s name existing commands', (path) => {
    const named = find(path, /(?:\badmin (?:-- )?|`)([a-z-]+(?: [a-z-]+)?)(?=[ `\n])/g);
    const isKnown = (words: string) => commands.includes(words) || commands.includes(words.split(' ')[0] ?? '');
    const ofNoun = named.filter((words) => words.includes(' ') && nouns.has(words.split(' ')[0]));
    expect(ofNoun.filter((words) => !isKnown(words))).toEqual([]);
  });
});

it('files named in comments exist', () => {
  const sources = globSync(['*.md', '{shared,server,electron,renderer,tests,.npm}/**/*.{ts,tsx,mjs,md,yml}'], {
    cwd: root,
  });
  const comments = /\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/.*$/gm;
  const exists = (path: string) => sources.some((source) => source === path || source.endsWith(`/${path}`));
  const missing = sources
    .filter((source) => /\.tsx?$/.test(source))
    .flatMap((source) =>
      [...read(source).matchAll(comments)]
        .flatMap(([comment]) => [...comment.matchAll(/[\w./-]*\w\.(?:tsx?|mjs|md)\b/g)])
        .map(([path]) => path.replace(/^(\.\.?\/)+/, ''))
        .filter((path) => !path.startsWith('.') && !exists(path))
        .map((path) => `${source}: ${path}`),
    );
  expect(missing).toEqual([]);
});

describe('the example that verifies a lease', () => {
  const [example = '', ...others] = findExamples(read('shared/api/README.md'));

  it('compiles', () => {
    expect(others).toEqual([]);
    expect(typeErrorsOf([example])).toBe('');
  });
});

describe('citations in comments', () => {
  const sources = globSync('{shared,server,electron,renderer,tests}/**/*.{ts,tsx,css}', { cwd: root });

  it('name only documents that a reader of this repository can open', () => {
    const unreadable =
      /\(?\b(?:interface §|decisions\s*["“(]|decisions\.md|interface-seed|architecture\.md|commands\.md|design\.md|toolchain\.md)/;
    const citing = sources.filter((path) => !path.startsWith('tests/docs/') && unreadable.test(read(path)));
    expect(citing).toEqual([]);
  });
});
