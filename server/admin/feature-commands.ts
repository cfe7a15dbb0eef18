/** `feature`: list the features that plans switch on and off, add custom ones, and change their texts. */
import { type Command, InvalidArgumentError } from 'commander';
import type { FeatureRecord } from '../../shared/api/admin/features.ts';
import { byCommand } from '../audit/audit-event.ts';
import { pageOf } from '../database/list.ts';
import type { AdminContext } from './admin-context.ts';
import { dryRunOption } from './command-input.ts';
import { createTableFormat } from './command-output.ts';
import { addListAction } from './list-command.ts';

type SetOptions = { title?: string; does?: string; lang: string; hidden?: boolean };
type RemoveOptions = { fromPlans?: boolean; dryRun?: boolean };

/** Adds the noun `feature` and its commands. */
export function addFeatureCommands(program: Command, context: AdminContext): void {
  const feature = program
    .command('feature')
    .description(
      'Features: what plans switch on and off. Those of the interface are there from the start; add your own.',
    );

  const list = feature.command('list').description('List all features, in the order in which they are shown.');
  addListAction(
    list,
    context,
    async ({ features }) => {
      const formatRows = createTableFormat<FeatureRow>(['name', 'title', 'does', 'hidden', 'built_in']);
      return {
        readPage: async (page) => {
          const all = (await features.list()).map((one) => ({ id: one.name, one }));
          const { rows, next } = pageOf(all, page, 'feature');
          return { rows: rows.map(({ one }) => one), next };
        },
        formatPage: (rows) => formatRows(rows.map(toRow)),
      };
    },
    String,
  );

  feature
    .command('set <name>')
    .description(
      'Change a feature, or add one: a new feature is in no plan until "plan set" switches it on. ' +
        'Its name is what the app asks for, such as pdf_export.',
    )
    .option('--title <text>', 'what people read as its name (default: the name)')
    .option('--does <text>', 'what it does, in a sentence')
    .option('--lang <language>', 'the language of both texts, such as de; an empty text removes it', 'en')
    .option('--hidden <true|false>', 'whether windows and pages leave it out', parseBoolean)
    .action(
      context.running(async ({ features }, name: string, { title, does, lang, hidden }: SetOptions) => {
        const change = {
          ...(title !== undefined && { title: { [lang]: title } }),
          ...(does !== undefined && { does: { [lang]: does } }),
          ...(hidden !== undefined && { hidden }),
        };
        return { json: await features.set(name, change, byCommand) };
      }),
    );

  feature
    .command('remove <name>')
    .description('Remove a feature that was added. Those of the interface can be hidden instead.')
    .option('--from-plans', 'also from the plans that have it')
    .addOption(dryRunOption())
    .action(
      context.running(
        async ({ features, policyPreview }, name: string, { fromPlans = false, dryRun = false }: RemoveOptions) => ({
          json: dryRun
            ? await policyPreview.previewFeatureRemoval(name, { fromPlans })
            : await features.remove(name, { fromPlans }, byCommand),
        }),
      ),
    );

  feature
    .command('types')
    .description('Print a TypeScript declaration of the features, so that the client accepts no other names.')
    .action(
      context.running(async ({ features }) => {
        const declaration = formatTypes((await features.list()).map(({ name }) => name));
        return { json: { declaration: `${declaration}\n` }, text: declaration };
      }),
    );
}

type FeatureRow = Omit<FeatureRecord, 'title' | 'does'> & { readonly title: string; readonly does: string };

function toRow({ title, does, ...feature }: FeatureRecord): FeatureRow {
  return { ...feature, title: title.en, does: does.en };
}

function formatTypes(names: readonly string[]): string {
  const lines = names.map((name) => `    ${name}: true;`);
  // Without an export the file would replace the package's declarations instead of adding to them.
  const opening = ['export {};', '', "declare module 'latchkey-client' {", '  interface OwnFeatures {'];
  return [...opening, ...lines, '  }', '}'].join('\n');
}

function parseBoolean(value: string): boolean {
  if (value !== 'true' && value !== 'false') throw new InvalidArgumentError('It must be true or false.');
  return value === 'true';
}
