/** What the documents say is what the code does: generated sections are current, and what they link to exists. */
import { existsSync, globSync, readFileSync } from 'node:fs';
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

  it.each(documentsOfTheRepository)('in %s lead to a file or a heading that exists', (path) => {
    const text = read(path);
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
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

it('the files that server/README.md names exist', () => {
  const named = [...read('server/README.md').matchAll(/`((?!X\/)[\w./-]+\.ts)`/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((path) => !existsSync(join(root, 'server', path)) && !existsSync(join(root, path)))).toEqual([]);
});

it('the files that comments name exist', () => {
  const sources = globSync('{shared,server,electron,renderer,tests}/**/*.{ts,tsx,md,yml}', { cwd: root });
  const comments = /\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/.*$/gm;
  const exists = (path: string) => sources.some((source) => source === path || source.endsWith(`/${path}`));
  const missing = sources
    .filter((source) => /\.tsx?$/.test(source))
    .flatMap((source) =>
      [...read(source).matchAll(comments)]
        .flatMap(([comment]) => [...comment.matchAll(/[\w./-]*\w\.tsx?\b/g)])
        .map(([path]) => path.replace(/^(\.\.?\/)+/, ''))
        .filter((path) => !path.startsWith('.') && !exists(path))
        .map((path) => `${source}: ${path}`),
    );
  expect(missing).toEqual([]);
});

describe('TypeScript examples', () => {
  it('of README.md compile beside the folders that it says to copy', { timeout: 60_000 }, () => {
    const examples = findExamples(read('README.md'));
    expect(examples.length).toBeGreaterThan(0);
    expect(typeErrorsOf(examples)).toBe('');
  });
});

describe('the example that verifies a lease', () => {
  const [example = '', ...others] = findExamples(read('shared/api/README.md'));

  it('compiles', { timeout: 60_000 }, () => {
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
