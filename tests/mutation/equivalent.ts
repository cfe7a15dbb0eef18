/** Changes that no test can notice, or that need not be noticed, with the reason. */

export type Equivalent = {
  readonly file: string;
  /** The line, without its indentation. */
  readonly source: string;
  /** What stands in place of a part of it; left out: whatever does. */
  readonly replacement?: string;
  readonly reason: string;
};

export const equivalents: readonly Equivalent[] = [
  {
    file: 'server/audit/audit-chain.rules.ts',
    source: "const [id = '', digest = ''] = line.split(' ');",
    replacement: '"Stryker was here!"',
    reason: '`split` gives at least one text, so the id is never left out; that of the digest is noticed.',
  },
  {
    file: 'server/audit/audit-chain.rules.ts',
    source: `const name = \`seal \${seal.id}, which begins with the entry \${listed[0]?.id},\`;`,
    replacement: 'listed[0].id',
    reason: '`listEntries` gives at least one entry.',
  },
  {
    file: 'server/updates/update-feed.rules.ts',
    source: 'return a.name < b.name ? -1 : 1;',
    replacement: 'a.name <= b.name',
    reason: 'No two files of a version have the same name.',
  },
  {
    file: 'server/updates/update-feed.rules.ts',
    source: 'if (newest && !same && byVersion(newest, { version }) < 0) {',
    replacement: 'byVersion(newest, { version }) <= 0',
    reason: 'If the newest one is the same version, `same` is set.',
  },
  {
    file: 'server/updates/update-feed.rules.ts',
    source: 'const published = same?.files ?? [];',
    replacement: '["Stryker was here"]',
    reason: 'A text has neither a name nor a kind, so it is no file that another one could be compared with.',
  },
];
