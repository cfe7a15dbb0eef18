/** The columns and filters of a list, as a screen describes them. */
import type { ReactNode } from 'react';

export type ListColumn<Row> = {
  readonly id: string;
  readonly label: string;
  readonly cell: (row: Row) => ReactNode;
  /** Hidden if the table has little space, such as beside an open record. */
  readonly isMinor?: boolean;
  /** Hidden until the user chooses to show it. */
  readonly isOptional?: boolean;
  readonly isNumber?: boolean;
};

/** A filter shown as a select; its value is a parameter of the address and of the call. */
export type ListFilter = {
  readonly param: string;
  readonly label: string;
  readonly options: readonly { readonly id: string; readonly name: string }[];
};
