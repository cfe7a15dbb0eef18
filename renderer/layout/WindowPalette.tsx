/** The window's command palette: every command and route by name. */
import { CommandPalette } from '../components/CommandPalette.tsx';
import { showPalette } from '../store.ts';
import { useWindowCommands } from './use-window-commands.ts';

/** Rendered while it is open. */
export function WindowPalette() {
  return <CommandPalette commands={useWindowCommands()} onClose={() => showPalette(false)} />;
}
