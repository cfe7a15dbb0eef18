/**
 * Commands that print a list. It is read and printed page by page, so that a list of any length needs little memory.
 */
import { type Command, InvalidArgumentError } from 'commander';
import { type Page, type PageRequest, readPages } from '../database/list.ts';
import { isUuid } from '../random.ts';
import type { Services } from '../services.ts';
import type { AdminContext } from './admin-context.ts';
import { formatJsonArray, nothingToList } from './command-output.ts';

type PrintedList<T> = {
  readPage(page: PageRequest): Promise<Page<T>>;
  /** Returns the text of the next page, without a trailing newline. */
  formatPage(rows: readonly T[]): string;
};

type PageOptions = { limit?: number; after?: string };

/** Adds `--limit` and `--after` to the command, and the action that prints the list that `open` describes. */
export function addListAction<T extends object, O extends object>(
  command: Command,
  context: AdminContext,
  open: (services: Services, options: O, args: readonly string[]) => Promise<PrintedList<T>>,
  parseAfter: (value: string) => string = parseId,
): Command {
  return command
    .option('--limit <n>', 'print at most n entries (default: all)', parseLimit)
    .option('--after <id>', 'start after the entry with this id, such as the last one that was printed', parseAfter)
    .action(() =>
      context.withServices(async (services) => {
        const options = command.opts<O & PageOptions>();
        const list = await open(services, options, command.args);
        const pages = readPages((page) => list.readPage(page), options);
        await context.printParts(context.printsJson ? formatJson(pages) : formatText(pages, list));
      }),
    );
}

async function* formatJson(pages: AsyncIterable<readonly object[]>): AsyncIterable<string> {
  yield* formatJsonArray(pages);
  yield '\n';
}

async function* formatText<T>(pages: AsyncIterable<readonly T[]>, list: PrintedList<T>): AsyncIterable<string> {
  let isEmpty = true;
  for await (const rows of pages) {
    yield `${list.formatPage(rows)}\n`;
    isEmpty = false;
  }
  if (isEmpty) yield `${nothingToList}\n`;
}

const maxLimit = 1_000_000_000;

function parseLimit(value: string): number {
  if (!/^[1-9]\d{0,9}$/.test(value) || Number(value) > maxLimit) {
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${maxLimit}.`);
  }
  return Number(value);
}

function parseId(value: string): string {
  if (!isUuid(value)) throw new InvalidArgumentError('It must be an id from the list.');
  return value.toLowerCase();
}
