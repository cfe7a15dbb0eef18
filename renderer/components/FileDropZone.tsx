/**
 * A drop area for files, whose drops do not reach the rest of the window; its content serves users without a pointer.
 */
import { type DragEvent, type ReactNode, useState } from 'react';

type FileDropZoneProps = {
  /** Accessible name. */
  readonly label: string;
  readonly className?: string;
  readonly disabled: boolean;
  readonly onFiles: (files: readonly File[]) => void;
  /** Receives whether something is being dragged over the area. */
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
