/** A fake bridge: every command of the IPC schema with scripted results, and app states pushed by the test. */
import type { Page } from '@playwright/test';
import type { AppState } from '../../shared/ipc/app-state.ts';
import { type Bridge, type CommandName, type CommandOutput, commandNames } from '../../shared/ipc/ipc-schema.ts';
import type { OpenRequest } from '../../shared/ipc/open-request.ts';

/** The result of a command, and the change of the app state that comes with it. */
export type ScriptedResult<V extends CommandName> = {
  readonly result: CommandOutput<V>;
  readonly state?: Partial<AppState>;
  readonly afterMs?: number;
  /** The command does not end before `release` is called. */
  readonly isHeld?: boolean;
};

/** The results of each command in order; the last one repeats. Without a script a command succeeds with `null`. */
export type Script = { readonly [V in CommandName]?: readonly ScriptedResult<V>[] };

export type Call = { readonly command: CommandName; readonly input: unknown };

/** The interface that the fake exposes on the page to the test. */
type FakeHandle = {
  readonly calls: Call[];
  readonly push: (changed: Partial<AppState>) => void;
  readonly open: (request: OpenRequest | null) => void;
  readonly release: () => void;
};

declare global {
  interface Window {
    fake: FakeHandle;
  }
}

export type FakeBridge = {
  readonly push: (changed: Partial<AppState>) => Promise<void>;
  /** Opens a link or a file with the app, from outside. */
  readonly open: (request: OpenRequest | null) => Promise<void>;
  readonly calls: (command?: CommandName) => Promise<readonly Call[]>;
  /** Ends the commands that are held. */
  readonly release: () => Promise<void>;
};

/** Installs the fake before the page's own scripts run. */
export async function installFakeBridge(page: Page, state: AppState | null, script: Script = {}): Promise<FakeBridge> {
  await page.addInitScript(fakeInPage, { commandNames, state, script });
  return {
    push: (changed) => page.evaluate((given) => window.fake.push(given), changed),
    open: (request) => page.evaluate((given) => window.fake.open(given), request),
    calls: async (command) => {
      const calls = await page.evaluate(() => window.fake.calls);
      return command === undefined ? calls : calls.filter((call) => call.command === command);
    },
    release: () => page.evaluate(() => window.fake.release()),
  };
}

type Given = {
  readonly commandNames: readonly CommandName[];
  readonly state: AppState | null;
  readonly script: Script;
};

/** Runs in the page, so it must not use anything from this module. With `null` as state, `getState` never resolves. */
function fakeInPage({ commandNames, state, script }: Given): void {
  let current = state;
  const calls: Call[] = [];
  const listeners = new Set<(state: AppState) => void>();
  const openListeners = new Set<(request: OpenRequest | null) => void>();
  const turns = new Map<CommandName, number>();
  const held: (() => void)[] = [];
  const push = (changed: Partial<AppState>) => {
    if (current === null) return;
    current = { ...current, ...changed };
    for (const listener of listeners) listener(current);
  };
  const open = (request: OpenRequest | null) => {
    for (const listener of openListeners) listener(request);
  };
  const perform = async (command: CommandName, input: unknown): Promise<unknown> => {
    // Every window asks for the open request once when it has loaded.
    if (command !== 'getOpenRequest') calls.push({ command, input });
    const results = script[command] ?? [];
    const turn = turns.get(command) ?? 0;
    turns.set(command, turn + 1);
    const scripted = results[Math.min(turn, results.length - 1)];
    if (command === 'getOpenRequest' && scripted === undefined) return null;
    if (command === 'getState' && scripted === undefined) return current ?? new Promise(() => undefined);
    if (scripted?.afterMs !== undefined) await new Promise((done) => setTimeout(done, scripted.afterMs));
    if (scripted?.isHeld) await new Promise<void>((done) => held.push(done));
    if (scripted?.state !== undefined) push(scripted.state);
    return scripted?.result ?? { ok: true, value: null };
  };
  const commands = commandNames.map((command) => [command, (input?: unknown) => perform(command, input)] as const);
  const bridge = {
    ...Object.fromEntries(commands),
    onState: (listener: (state: AppState) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onOpenRequest: (listener: (request: OpenRequest | null) => void) => {
      openListeners.add(listener);
      return () => openListeners.delete(listener);
    },
    pathForFile: (file: unknown) => `/dropped/${(file as { name: string }).name}`,
  } as unknown as Bridge;
  const release = () => {
    for (const done of held.splice(0)) done();
  };
  Object.assign(window, { latchkey: bridge, fake: { calls, push, open, release } });
}
