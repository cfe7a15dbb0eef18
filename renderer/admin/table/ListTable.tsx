/** A list's rows as a table whose first column opens the record. */
import { columnVisibilityFeature, createColumnHelper, tableFeatures, useTable } from '@tanstack/react-table';
import { type KeyboardEvent, useMemo } from 'react';
import { usePreferences } from '../preferences.ts';
import type { ListColumn } from './columns.ts';

const features = tableFeatures({ columnVisibilityFeature });

type ListTableProps<Row> = {
  /** Describes the contents of the table to screen readers. */
  readonly label: string;
  readonly name: string;
  readonly rows: readonly Row[];
  readonly columns: readonly ListColumn<Row>[];
  readonly idOf: (row: Row) => string;
  readonly hrefTo: (row: Row) => string;
  /** Id of the record open beside the table. */
  readonly openId: string | null;
  /** Whether new rows are loading. */
  readonly isOld: boolean;
};

export function ListTable<Row extends object>({ label, rows, isOld, openId, ...props }: ListTableProps<Row>) {
  const table = useListTable(props.columns, { name: props.name, rows, idOf: props.idOf });
  return (
    <div className="table-frame">
      <table className={isOld ? 'table table-old' : 'table'} aria-label={label} aria-busy={isOld}>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id}>
              {group.headers.map((header) => (
                <th key={header.id} scope="col" className={classOf(header.column.columnDef.meta)}>
                  <table.FlexRender header={header} />
                </th>
              ))}
            </tr>
          ))}
        </thead>
        <tbody onKeyDown={moveBetweenRows}>
          {table.getRowModel().rows.map((row) => (
            <tr key={row.id} className={row.id === openId ? 'row row-open' : 'row'}>
              {row.getVisibleCells().map((cell, index) => (
                <td
                  key={cell.id}
                  className={classOf(cell.column.columnDef.meta)}
                  data-label={labelOf(cell.column.columnDef.meta)}
                >
                  {index === 0 ? (
                    <a
                      className="row-link"
                      href={props.hrefTo(row.original)}
                      data-row={row.id}
                      aria-current={row.id === openId || undefined}
                    >
                      <table.FlexRender cell={cell} />
                    </a>
                  ) : (
                    <table.FlexRender cell={cell} />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type ColumnMeta = Pick<ListColumn<never>, 'label' | 'isMinor' | 'isNumber'>;

function useListTable<Row extends object>(
  columns: readonly ListColumn<Row>[],
  { name, rows, idOf }: { name: string; rows: readonly Row[]; idOf: (row: Row) => string },
) {
  const columnVisibility = useShownColumns(name, columns);
  const definitions = useMemo(() => {
    const helper = createColumnHelper<typeof features, Row>();
    return columns.map(({ id, label, cell, isMinor, isNumber }) =>
      helper.display({ id, header: label, cell: ({ row }) => cell(row.original), meta: { label, isMinor, isNumber } }),
    );
  }, [columns]);
  return useTable({ features, columns: definitions, data: rows, getRowId: idOf, state: { columnVisibility } });
}

/** Returns which columns are shown: those chosen in this browser, or all non-optional ones by default. */
export function useShownColumns(
  name: string,
  columns: readonly Pick<ListColumn<never>, 'id' | 'isOptional'>[],
): Readonly<Record<string, boolean>> {
  const chosen = usePreferences((preferences) => preferences.columns[name]);
  return useMemo(
    () =>
      Object.fromEntries(
        columns.map(({ id, isOptional }, index) => [id, index === 0 || (chosen?.[id] ?? !isOptional)]),
      ),
    [chosen, columns],
  );
}

function classOf(meta: unknown): string {
  const { isMinor, isNumber } = meta as ColumnMeta;
  return [isMinor ? 'column-minor' : '', isNumber ? 'column-number tabular' : ''].join(' ').trim();
}

function labelOf(meta: unknown): string {
  return (meta as ColumnMeta).label;
}

/** Moves the focus between rows: Up and Down to the adjacent row, Home and End to the first and last. */
function moveBetweenRows(event: KeyboardEvent<HTMLElement>): void {
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('.row-link')];
  const { activeElement } = document;
  const from = activeElement instanceof HTMLElement ? links.indexOf(activeElement) : -1;
  if (from === -1) return;
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: from + 1,
    ArrowUp: from - 1,
    Home: 0,
    End: links.length - 1,
  };
  const next = steps[event.key];
  if (next === undefined) return;
  event.preventDefault();
  links[next]?.focus();
}
