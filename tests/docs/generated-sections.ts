/** Sections of a Markdown file that are written by a program, between two comments that name them. */

const opening = (name: string) => `<!-- generated: ${name} -->`;
const closing = '<!-- end of generated -->';

/** Returns the document with the named section replaced. Throws if the document has no such section. */
export function replaceSection(document: string, name: string, content: string): string {
  const from = document.indexOf(opening(name));
  const to = document.indexOf(closing, from);
  if (from < 0 || to < 0) throw new Error(`There is no generated section "${name}"`);
  return `${document.slice(0, from)}${opening(name)}\n\n${content.trim()}\n\n${document.slice(to)}`;
}

/** Returns the document with all its generated sections rewritten, each by the function with its name. */
export function writeSections(document: string, sections: Readonly<Record<string, () => string>>): string {
  return Object.entries(sections).reduce((text, [name, write]) => replaceSection(text, name, write()), document);
}

/** Returns a Markdown table; a `|` in a cell is escaped. */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(header), `|${'---|'.repeat(header.length)}`, ...rows.map(line)].join('\n');
}
