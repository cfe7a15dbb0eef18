/** A crashed page is reloaded automatically, but not endlessly; the user decides about one that hangs. */
import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { messagesByLanguage } from '../../../electron/i18n/messages.ts';
import { createFakePlatform, settle } from '../fake-platform.ts';

type Question = { readonly message: string; readonly buttons: readonly string[]; readonly signal: AbortSignal };

const electron = vi.hoisted(() => ({
  app: Object.assign({ on: vi.fn(), quit: vi.fn() }),
  dialog: { showMessageBox: vi.fn() },
}));
vi.mock('electron', () => electron);
const { logEndedProcesses, recoverPage } = await import('../../../electron/windows/page-recovery.ts');

const { app, dialog } = electron;
const { recovery } = messagesByLanguage.en;

beforeEach(() => vi.clearAllMocks());

function setUp() {
  const platform = createFakePlatform();
  const webContents = Object.assign(new EventEmitter(), {
    reload: vi.fn(),
    forcefullyCrashRenderer: vi.fn(() =>
      webContents.emit('render-process-gone', {}, { reason: 'killed', exitCode: 9 }),
    ),
  });
  const window = Object.assign(new EventEmitter(), { webContents, isDestroyed: () => false });
  const { clock, log } = platform;
  const messages = () => messagesByLanguage.en;
  recoverPage({ window: window as unknown as Electron.BrowserWindow, messages, clock, log });
  /** The questions that were asked, each with a function that answers it. */
  const questions: (Question & { answer: (button: number) => void })[] = [];
  dialog.showMessageBox.mockImplementation((_window: unknown, question: Question) => {
    return new Promise((resolve) => {
      const answer = (response: number) => resolve({ response });
      question.signal.addEventListener('abort', () => answer(0));
      questions.push({ ...question, answer });
    });
  });
  const crash = (reason = 'crashed') => webContents.emit('render-process-gone', {}, { reason, exitCode: 5 });
  return { platform, window, webContents, questions, crash };
}

describe('a page whose process crashes', () => {
  it('is reloaded, and the reason is logged', () => {
    const { platform, webContents, crash } = setUp();
    crash('oom');
    expect(webContents.reload).toHaveBeenCalledTimes(1);
    expect(platform.logged.join()).toContain('oom');
  });

  it('is not reloaded if it exited normally', () => {
    const { webContents, crash } = setUp();
    crash('clean-exit');
    expect(webContents.reload).not.toHaveBeenCalled();
  });

  it('four times within five minutes is reloaded only if the user agrees', async () => {
    const { webContents, questions, crash } = setUp();
    for (let crashes = 0; crashes < 4; crashes++) crash();
    expect(webContents.reload).toHaveBeenCalledTimes(3);
    expect(questions).toMatchObject([{ message: recovery.crashed, buttons: [recovery.reload, recovery.quit] }]);
    questions[0]?.answer(0);
    await settle();
    expect(webContents.reload).toHaveBeenCalledTimes(4);
    expect(app.quit).not.toHaveBeenCalled();
  });

  it('quits the app if the user chooses that', async () => {
    const { webContents, questions, crash } = setUp();
    for (let crashes = 0; crashes < 4; crashes++) crash();
    questions[0]?.answer(1);
    await settle();
    expect(app.quit).toHaveBeenCalledTimes(1);
    expect(webContents.reload).toHaveBeenCalledTimes(3);
  });

  it('only occasionally is always reloaded', async () => {
    const { platform, webContents, questions, crash } = setUp();
    for (let crashes = 0; crashes < 10; crashes++) {
      crash();
      await platform.clock.advance(2 * 60_000);
    }
    expect(webContents.reload).toHaveBeenCalledTimes(10);
    expect(questions).toEqual([]);
  });
});

describe('a page that hangs', () => {
  it('is left alone while the user waits, and the question is closed once it responds', async () => {
    const { window, webContents, questions } = setUp();
    window.emit('unresponsive');
    window.emit('unresponsive');
    expect(questions).toMatchObject([{ message: recovery.hangs, buttons: [recovery.wait, recovery.reload] }]);
    window.emit('responsive');
    await settle();
    expect(questions[0]?.signal.aborted).toBe(true);
    window.emit('unresponsive');
    questions[1]?.answer(0);
    await settle();
    expect(webContents.forcefullyCrashRenderer).not.toHaveBeenCalled();
    expect(webContents.reload).not.toHaveBeenCalled();
  });

  it('is reloaded in a new process if the user chooses that', async () => {
    const { window, webContents, questions } = setUp();
    window.emit('unresponsive');
    questions[0]?.answer(1);
    await settle();
    expect(webContents.forcefullyCrashRenderer).toHaveBeenCalledTimes(1);
    expect(webContents.reload).toHaveBeenCalledTimes(1);
  });

  it('and then crashes by itself needs no answer', async () => {
    const { window, webContents, questions, crash } = setUp();
    window.emit('unresponsive');
    crash();
    await settle();
    expect(questions[0]?.signal.aborted).toBe(true);
    expect(webContents.reload).toHaveBeenCalledTimes(1);
  });
});

it('logs the unexpected end of other processes', () => {
  const { log, logged } = createFakePlatform();
  logEndedProcesses(log);
  const [[event, listener] = []] = app.on.mock.calls;
  expect(event).toBe('child-process-gone');
  listener({}, { type: 'GPU', reason: 'crashed', exitCode: 1 });
  listener({}, { type: 'Utility', reason: 'clean-exit', exitCode: 0 });
  expect(logged).toHaveLength(1);
  expect(logged[0]).toContain('GPU');
});
