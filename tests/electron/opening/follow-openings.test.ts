/**
 * Links and files reach the app from its arguments, from a second start and from macOS events, also before it is ready.
 */
import { EventEmitter } from 'node:events';
import { beforeEach, expect, it, vi } from 'vitest';

const app = vi.hoisted(() => ({ current: null as unknown as EventEmitter }));
vi.mock('electron', () => ({
  get app() {
    return app.current;
  },
}));
const { followOpenings } = await import('../../../electron/opening/follow-openings.ts');

const link = 'latchkey://lease';

beforeEach(() => {
  app.current = new EventEmitter();
});

function setUp(parameters: readonly string[] = []) {
  const reveal = vi.fn();
  const openings = followOpenings(parameters, reveal);
  const target = {
    open: vi.fn(async () => {}),
    openArguments: vi.fn((given: readonly string[]) => given.includes(link)),
  };
  return { openings, target, reveal };
}

it('opens the arguments of this start once the app is ready', () => {
  const { openings, target } = setUp(['.', link]);
  openings.connect(target);
  expect(target.openArguments.mock.calls).toEqual([[['.', link], process.cwd()]]);
});

it('opens what arrived before the app was ready', () => {
  const { openings, target } = setUp();
  const event = { preventDefault: vi.fn() };
  app.current.emit('open-url', event, link);
  app.current.emit('open-file', event, '/a.lease');
  expect(event.preventDefault).toHaveBeenCalledTimes(2);
  openings.connect(target);
  expect(target.open.mock.calls).toEqual([[{ kind: 'link', link }], [{ kind: 'file', path: '/a.lease' }]]);
});

it('opens the arguments of a second start in the running app, relative to the second start’s folder', () => {
  const { openings, target, reveal } = setUp();
  openings.connect(target);
  app.current.emit('second-instance', {}, ['/opt/latchkey', '--', link], '/home/ada');
  expect(target.openArguments).toHaveBeenLastCalledWith(['--', link], '/home/ada');
  expect(reveal).not.toHaveBeenCalled();
});

it('shows the window after a second start that opens nothing', () => {
  const { openings, target, reveal } = setUp();
  app.current.emit('second-instance', {}, ['/opt/latchkey'], '/home/ada');
  openings.connect(target);
  expect(reveal).not.toHaveBeenCalled();
  app.current.emit('second-instance', {}, ['/opt/latchkey'], '/home/ada');
  expect(reveal).toHaveBeenCalledOnce();
});

it('neither opens the arguments of a command-line command, nor shows the window for it', () => {
  const reveal = vi.fn();
  const target = { open: vi.fn(async () => {}), openArguments: vi.fn(() => true) };
  const openings = followOpenings([], reveal, (data) => data === 'command');
  openings.connect(target);
  target.openArguments.mockClear();
  app.current.emit('second-instance', {}, ['/opt/latchkey', '--cli', 'lease', 'import', 'a.lease'], '/', 'command');
  expect(target.openArguments).not.toHaveBeenCalled();
  expect(reveal).not.toHaveBeenCalled();
});
