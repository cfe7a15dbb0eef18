/** `import`: accounts, licenses and API keys of another system, from CSV files. */
import { type Command, Option } from 'commander';
import { byCommand } from '../audit/audit-event.ts';
import type { ImportReport } from '../import/import-report.ts';
import { type ImportKind, type ImportSource, importKinds, importSources } from '../import/import-source.ts';
import type { ReportedRow, ReportedRows } from '../import/reported-rows.ts';
import { type AdminContext, isJsonRequested } from './admin-context.ts';
import { createTableFormat, formatJsonRow } from './command-output.ts';

type ImportOptions = { dryRun?: boolean; from?: ImportSource };

const descriptions: Readonly<Record<ImportKind, string>> = {
  accounts:
    'Create accounts. Columns: email, full_name, password_hash (argon2id or bcrypt; without one a reset or ' +
    '"user password" makes the first password).',
  licenses:
    'Add licenses whose keys continue to work, whatever their form. Columns: license_key, email, plan, status, ' +
    'max_activations, expires_at; empty fields take the defaults of "license issue". A server that sends mail gives none ' +
    'to an account whose address nobody has confirmed: such a license has no owner, and its row a warning.',
  'api-keys':
    'Add API keys as "api-key import-legacy" does. Columns: email, key or sha256 (one of them in each row), expires_at. ' +
    'A server that sends mail refuses a row of an account whose address nobody has confirmed.',
};

/** Adds the noun `import` and its commands. */
export function addImportCommands(program: Command, context: AdminContext): void {
  const imports = program
    .command('import')
    .description(
      'Accounts, licenses and API keys of another system, from CSV files in UTF-8, also while the server runs.',
    );
  for (const kind of importKinds) {
    const command = imports
      .command(`${kind} <file>`)
      .description(
        `${descriptions[kind]} The first line names the columns. Prints each row that is refused, with the reason, and exits with 0 all the same; ` +
          'running it again imports nothing twice.',
      )
      .option('--dry-run', 'write nothing, and print the same report');
    if (kind !== 'api-keys') {
      command.addOption(
        new Option('--from <system>', 'read the columns as that system exports them').choices(importSources),
      );
    }
    command.action(async (file: string, { dryRun = false, from: source }: ImportOptions) => {
      const run = { kind, file: context.resolveFile(file), source, dryRun, by: byCommand };
      const report = await context.withServices(({ imports }) => imports.run(run));
      try {
        const parts = isJsonRequested(command) ? formatJson(report) : formatText(report, dryRun);
        for (const part of parts) if (!(await context.print(part))) return;
      } finally {
        report.close();
      }
    });
  }
}

/** One document, laid out as `JSON.stringify` with two spaces does. */
function* formatJson(report: ImportReport): Generator<string, void, void> {
  yield `{\n  "rows": ${report.rows},\n  "imported": ${report.imported}`;
  yield* formatJsonRows('refused', report.refused);
  if (report.warnings.count > 0) yield* formatJsonRows('warnings', report.warnings);
  yield '\n}\n';
}

function* formatJsonRows(name: string, rows: ReportedRows): Generator<string, void, void> {
  yield `,\n  "${name}": [`;
  let isFirst = true;
  for (const page of rows.pages()) {
    yield `${isFirst ? '\n' : ',\n'}${page.map((row) => formatJsonRow(row).replaceAll(/^/gm, '  ')).join(',\n')}`;
    isFirst = false;
  }
  yield isFirst ? ']' : '\n  ]';
}

function* formatText(report: ImportReport, dryRun: boolean): Generator<string, void, void> {
  if (dryRun) yield 'Dry run: nothing was written. The import would report:\n\n';
  const { rows, imported, refused, warnings } = report;
  yield `rows      ${rows}\nimported  ${imported}\nrefused   ${refused.count}\n`;
  yield* formatTextRows(refused);
  if (warnings.count > 0) yield `\nwarnings  ${warnings.count}\n`;
  yield* formatTextRows(warnings);
}

function* formatTextRows(rows: ReportedRows): Generator<string, void, void> {
  if (rows.count > 0) yield '\n';
  const format = createTableFormat<ReportedRow>(['row', 'reason']);
  for (const page of rows.pages()) yield `${format(page)}\n`;
}
