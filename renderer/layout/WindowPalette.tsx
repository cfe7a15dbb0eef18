/** The command palette of the window: every command and route by name. */
import { CommandPalette } from '../components/CommandPalette.tsx';
import { showPalette } from '../store.ts';
import { useWindowCommands } from './use-window-commands.ts';

/** Shown while it is open. */
export function WindowPalette() {
  return <CommandPalette commands={useWindowCommands()} onClose={() => showPalette(false)} />;
}
