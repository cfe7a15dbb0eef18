/** What a migration is: a name for ever, and the statements that it brings. */
import type { Database, Transaction } from './database.ts';

export type Dialect = Database['dialect'];

export type Migration = {
  /** Never changed once released: it is how an applied migration is recognised. */
  readonly name: string;
  apply(transaction: Transaction, dialect: Dialect, nowMs: number): Promise<void>;
};
