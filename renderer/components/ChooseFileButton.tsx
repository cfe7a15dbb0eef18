/** A button that lets the user choose one file. */
import { FolderOpen } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { ActionButton } from './ActionButton.tsx';

type Props = {
  readonly children: ReactNode;
  /** Preferred file extensions, such as `.lease`. */
  readonly accept: string;
  readonly onFile: (file: File) => void;
};

/** Uses the browser's file dialog, which needs no permission. The same file can be chosen again. */
export function ChooseFileButton({ children, accept, onFile }: Props) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <ActionButton icon={FolderOpen} onPress={() => input.current?.click()}>
        {children}
      </ActionButton>
      <input
        ref={input}
        type="file"
        hidden
        accept={accept}
        onChange={({ target }) => {
          const file = target.files?.[0];
          target.value = '';
          if (file !== undefined) onFile(file);
        }}
      />
    </>
  );
}
