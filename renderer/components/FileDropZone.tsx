/** An area onto which files can be dropped, which the rest of the window does not see; what it contains is for users without a pointer. */
import { type DragEvent, type ReactNode, useState } from 'react';

type FileDropZoneProps = {
  /** What a screen reader says. */
  readonly label: string;
  readonly className?: string;
  readonly disabled: boolean;
  readonly onFiles: (files: readonly File[]) => void;
  /** Depends on whether something is being dragged over it. */
  readonly children: (isOver: boolean) => ReactNode;
};

export function FileDropZone({ label, className = '', disabled, onFiles, children }: FileDropZoneProps) {
  const [isOver, setIsOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    event.stopPropagation();
    setIsOver(false);
    if (!disabled) onFiles([...event.dataTransfer.files]);
  };
  return (
    <section
      className={`drop ${isOver ? 'drop-over' : ''} ${className}`}
      aria-label={label}
      onDragEnter={() => setIsOver(!disabled)}
      onDragOver={(event) => event.preventDefault()}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setIsOver(false);
      }}
      onDrop={drop}
    >
      {children(isOver)}
    </section>
  );
}
