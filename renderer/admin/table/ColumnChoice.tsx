/** Chooses which columns of a list are shown in this browser. */
import { Columns3 } from 'lucide-react';
import { useId } from 'react';
import { Popover } from '../../components/Popover.tsx';
import { useMessages } from '../i18n/messages.ts';
import { changePreferences, usePreferences } from '../preferences.ts';
import type { ListColumn } from './columns.ts';
import { useShownColumns } from './ListTable.tsx';
import type { ListName } from './use-list.ts';

/** The column properties needed here. */
export type ChosenColumn = Pick<ListColumn<never>, 'id' | 'label' | 'isOptional'>;

type ColumnChoiceProps = { readonly name: ListName; readonly columns: readonly ChosenColumn[] };

/** Lists all columns except the first, which is always shown. */
export function ColumnChoice({ name, columns }: ColumnChoiceProps) {
  const { t } = useMessages();
  return (
    <Popover
      role="dialog"
      label={t('list.columns')}
      placement="below"
      buttonClassName="button button-secondary"
      button={
        <>
          <Columns3 className="icon" aria-hidden />
          <span>{t('list.columns')}</span>
        </>
      }
    >
      {() => (
        <div className="column-choice">
          {columns.slice(1).map((column) => (
            <ColumnCheckbox key={column.id} name={name} columns={columns} column={column} />
          ))}
        </div>
      )}
    </Popover>
  );
}

type ColumnCheckboxProps = ColumnChoiceProps & { readonly column: ChosenColumn };

function ColumnCheckbox({ name, columns, column }: ColumnCheckboxProps) {
  const id = useId();
  const shown = useShownColumns(name, columns);
  const change = (isShown: boolean) => {
    const { columns: chosen } = usePreferences.getState();
    changePreferences({ columns: { ...chosen, [name]: { ...chosen[name], [column.id]: isShown } } });
  };
  return (
    <label className="check" htmlFor={id}>
      <input
        id={id}
        type="checkbox"
        checked={shown[column.id] ?? true}
        onChange={(event) => change(event.target.checked)}
      />
      {column.label}
    </label>
  );
}
