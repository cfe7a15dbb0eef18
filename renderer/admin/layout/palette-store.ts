/** Whether the command palette is open. */
import { create } from 'zustand';

export const usePalette = create<{ readonly isOpen: boolean }>()(() => ({ isOpen: false }));

export function showPalette(isOpen: boolean): void {
  usePalette.setState({ isOpen });
}
