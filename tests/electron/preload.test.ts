/** The built preload exposes one function per command and stays small. */
import { resolve } from 'node:path';
import { createBuilder } from 'vite';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { commandChannel, stateChannel } from '../../shared/ipc/channels.ts';
import { commandNames } from '../../shared/ipc/ipc-schema.ts';

const configFile = resolve(import.meta.dirname, '../../vite.config.ts');

let code = '';

beforeAll(async () => {
  const builder = await createBuilder({ configFile, logLevel: 'warn', build: { write: false } });
  const preload = builder.environments.preload;
  if (preload === undefined) throw new Error('vite.config.ts has no environment "preload".');
  preload.config.build.write = false;
  const built = await builder.build(preload);
  if (!('output' in built)) throw new Error('The preload was not built into one bundle.');
  code = built.output[0].code;
});

/** Runs the bundle as Electron does, with a `require` that provides only Electron. */
function run() {
  const exposed: Record<string, Record<string, (...input: unknown[]) => unknown>> = {};
  const electron = {
    contextBridge: { exposeInMainWorld: (name: string, value: (typeof exposed)[string]) => (exposed[name] = value) },
    ipcRenderer: { invoke: vi.fn(async () => 'result'), on: vi.fn(), off: vi.fn() },
    webUtils: { getPathForFile: vi.fn(() => '/a/file') },
  };
  const require = (name: string) => {
    if (name !== 'electron') throw new Error(`The preload requires ${name}.`);
    return electron;
  };
  new Function('require', 'exports', 'module', code)(require, {}, { exports: {} });
  return { electron, exposed };
}

describe('the built preload', () => {
  it('exposes each command of the schema, onState, onOpenRequest and pathForFile, and nothing else', () => {
    const { exposed } = run();
    expect(Object.keys(exposed)).toEqual(['latchkey']);
    expect(Object.keys(exposed.latchkey ?? {}).sort()).toEqual(
      [...commandNames, 'onState', 'onOpenRequest', 'pathForFile'].sort(),
    );
  });

  it.each(commandNames)('%s calls its own channel with its input', async (name) => {
    const { electron, exposed } = run();
    const input = { sample: 1 };
    expect(await exposed.latchkey?.[name]?.(input)).toBe('result');
    expect(electron.ipcRenderer.invoke.mock.calls).toEqual([[commandChannel(name), input]]);
  });

  it('forwards the state until it is unsubscribed', () => {
    const { electron, exposed } = run();
    const listener = vi.fn();
    const unsubscribe = exposed.latchkey?.onState?.(listener) as () => void;
    const [channel, forward] = electron.ipcRenderer.on.mock.calls[0] ?? [];
    expect(channel).toBe(stateChannel);
    forward({}, { state: 1 });
    expect(listener.mock.calls).toEqual([[{ state: 1 }]]);
    unsubscribe();
    expect(electron.ipcRenderer.off).toHaveBeenCalledWith(stateChannel, forward);
  });

  it('is below 4 kB, so it does not include zod', () => {
    expect(code.length).toBeLessThan(4000);
  });
});
