/** A confirmation of a command for several items, which then runs for one after the other. */
import { type ReactNode, useState } from 'react';
import type { Done, Result } from '../../shared/ipc/result.ts';
import { useAction } from '../use-action.ts';
import { useIsShown } from '../use-is-shown.ts';
import { ConfirmDialog } from './Dialogs.tsx';
import { showToast } from './toast-store.ts';

type Props<Item> = {
  /** Must not change. */
  readonly items: readonly Item[];
  readonly command: (item: Item) => Promise<Done>;
  readonly title: string;
  readonly text: ReactNode;
  readonly confirmLabel: string;
  /** Describes how many items are left, after a failure or in between. */
  readonly describeLeft: (count: number) => string;
  /** Describes for how many items the command has succeeded. */
  readonly describeDone: (count: number) => string;
  /** Called after the dialog was closed because the command has succeeded for all items. */
  readonly onDone: () => void;
  readonly onClose: () => void;
};

/** Stops at a failure, from where it can continue, and after the present item once it was closed. */
export function ConfirmEachDialog<Item>({ items, command, describeLeft, describeDone, ...props }: Props<Item>) {
  const { title, text, confirmLabel, onDone, onClose } = props;
  const action = useAction();
  const [doneCount, setDoneCount] = useState(0);
  const isShown = useIsShown();
  const runRest = async (): Promise<Result<number>> => {
    let done = doneCount;
    for (const item of items.slice(doneCount)) {
      if (!isShown.current) break;
      const result = await command(item);
      if (!result.ok) return result;
      done += 1;
      setDoneCount(done);
    }
    return { ok: true, value: done };
  };
  const confirm = async () => {
    const done = await action.run(runRest);
    if (done === null) return;
    showToast(describeDone(done.value));
    if (done.value < items.length) return;
    onClose();
    onDone();
  };
  return (
    <ConfirmDialog
      title={title}
      text={text}
      confirmLabel={confirmLabel}
      danger
      pending={action.pending}
      failure={action.failure}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p className="hint" role="status">
        {doneCount > 0 && describeLeft(items.length - doneCount)}
      </p>
    </ConfirmDialog>
  );
}
