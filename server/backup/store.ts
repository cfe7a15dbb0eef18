/** A database as a whole: what backup, restore and check need of it, whichever kind it is. */
import type { Inspection } from './inspection.ts';

export type Location = { readonly database_file: string } | { readonly database_address: string };

export type Store = {
  readonly kind: 'sqlite' | 'postgres';
  /** Where it is, as reports say it. */
  readonly location: Location;
  /** Writes what is committed at this moment into a SQLite file. Throws `BackupError` NOT_FOUND. */
  copyTo(file: string): Promise<void>;
  /** Reads it from end to end, also while the server writes to it. Throws `BackupError` NOT_FOUND. */
  inspect(secretsFile: string): Promise<Inspection & { readonly bytes: number }>;
  /** Keeps everyone else out. Throws `BackupError` SERVER_RUNNING. */
  hold(): Promise<HeldStore>;
};

export type HeldStore = {
  /** Whether there is anything that a restore would replace. */
  readonly isThere: boolean;
  /** Keeps what is there in a folder, in a form that can be used from there. */
  keepIn(folder: string): Promise<void>;
  /** Puts the database of a SQLite file in its place; `putSecrets` runs right before that becomes final. */
  replaceWith(file: string, putSecrets: () => void): Promise<void>;
  /** Lets the others in again; what is not final is undone. */
  release(): Promise<void>;
};
