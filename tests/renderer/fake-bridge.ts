/** Stands in for main: every verb of the IPC schema with scripted answers, and states pushed by the test. */
import type { Page } from '@playwright/test';
import type { AppState } from '../../shared/ipc/app-state.ts';
import { type CommandName, commandNames } from '../../shared/ipc/ipc-schema.ts';
import type { Bridge, CommandOutput } from '../../shared/ipc/ipc-types.ts';

/** What a verb answers, and the state that main tells with it. */
export type Answer<V extends CommandName> = {
  readonly result: CommandOutput<V>;
  readonly state?: Partial<AppState>;
  readonly afterMs?: number;
};

/** The answers of each verb in turn; the last one stays. A verb without a script succeeds with nothing. */
export type Script = { readonly [V in CommandName]?: readonly Answer<V>[] };

export type Call = { readonly verb: CommandName; readonly input: unknown };

/** What the fake leaves on the page for the test. */
type FakeHandle = {
  readonly calls: Call[];
  readonly push: (part: Partial<AppState>) => void;
};

declare global {
  interface Window {
    fake: FakeHandle;
  }
}

export type FakeBridge = {
  readonly push: (part: Partial<AppState>) => Promise<void>;
  readonly calls: (verb?: CommandName) => Promise<readonly Call[]>;
};

/** Puts the fake on the page before its own script runs. */
export async function installFakeBridge(page: Page, state: AppState | null, script: Script = {}): Promise<FakeBridge> {
  await page.addInitScript(fakeInPage, { commandNames, state, script });
  return {
    push: (part) => page.evaluate((given) => window.fake.push(given), part),
    calls: async (verb) => {
      const calls = await page.evaluate(() => window.fake.calls);
      return verb === undefined ? calls : calls.filter((call) => call.verb === verb);
    },
  };
}

type Given = {
  readonly commandNames: readonly CommandName[];
  readonly state: AppState | null;
  readonly script: Script;
};

/** Runs in the page: it may use nothing from this module. `null` as the state never answers. */
function fakeInPage({ commandNames, state, script }: Given): void {
  let current = state;
  const calls: Call[] = [];
  const listeners = new Set<(state: AppState) => void>();
  const turns = new Map<CommandName, number>();
  const push = (part: Partial<AppState>) => {
    if (current === null) return;
    current = { ...current, ...part };
    for (const listener of listeners) listener(current);
  };
  const perform = async (verb: CommandName, input: unknown): Promise<unknown> => {
    calls.push({ verb, input });
    const answers = script[verb] ?? [];
    const turn = turns.get(verb) ?? 0;
    turns.set(verb, turn + 1);
    const answer = answers[Math.min(turn, answers.length - 1)];
    if (verb === 'getState' && answer === undefined) return current ?? new Promise(() => undefined);
    if (answer?.afterMs !== undefined) await new Promise((done) => setTimeout(done, answer.afterMs));
    if (answer?.state !== undefined) push(answer.state);
    return answer?.result ?? { ok: true, value: null };
  };
  const verbs = commandNames.map((verb) => [verb, (input?: unknown) => perform(verb, input)] as const);
  const bridge = {
    ...Object.fromEntries(verbs),
    onState: (listener: (state: AppState) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    pathForFile: (file: unknown) => `/dropped/${(file as { name: string }).name}`,
  } as unknown as Bridge;
  Object.assign(window, { latchkey: bridge, fake: { calls, push } });
}
