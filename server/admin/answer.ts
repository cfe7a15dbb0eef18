/** What a command answers, and how that is written: one JSON document for programs, lines for people. */
import { formatFields, formatTable } from './text-table.ts';

export type Answer = {
  /** The whole document that `--json` prints. */
  readonly json: object;
  /** What a person reads in its place; without it the fields of `json`, line by line. */
  readonly text?: string;
  /** What the command fails with all the same, once it has said what it found. */
  readonly failure?: Error;
};

/** A list, which a person reads as a table of the columns named. */
export function listAnswer<T extends object>(rows: readonly T[], columns: readonly (keyof T & string)[]): Answer {
  return { json: rows, text: formatTable(rows, columns) };
}

/** The text of an answer, with the newline that ends it. */
export function formatAnswer(answer: Answer, asJson: boolean): string {
  if (asJson) return `${JSON.stringify(answer.json, null, 2)}\n`;
  return `${answer.text ?? formatFields(answer.json)}\n`;
}
