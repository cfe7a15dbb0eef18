/** Moves the focus to a field that must be corrected: screen readers then read its message. */
import type { FormEvent } from 'react';

/** Focuses the field with this name in the submitted form. Call it before anything is awaited. */
export function focusField({ currentTarget }: FormEvent, name: string): void {
  const field = (currentTarget as HTMLFormElement).elements.namedItem(name);
  if (field instanceof HTMLElement) field.focus();
}
