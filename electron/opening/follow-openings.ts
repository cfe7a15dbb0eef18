/** Collects what the system opens with the app, starting before Electron is ready. */
import { app } from 'electron';
import type { OpenRequests } from './open-requests.ts';

type Target = Pick<OpenRequests, 'open' | 'openArguments'>;
type Opening = (target: Target) => boolean;

export type Openings = {
  /** Passes to the target what was opened so far, and from now on everything at once. */
  readonly connect: (target: Target) => void;
};

/**
 * Collects the arguments of this start and of a second one, and on macOS the events for links and files, which may come
 * before the app is ready. `reveal` shows the window after a second start that opens nothing. `isCommand` tells from
 * the data of a second start whether it is for the command line, whose arguments open nothing.
 */
export function followOpenings(
  parameters: readonly string[],
  reveal: () => void,
  isCommand: (data: unknown) => boolean = () => false,
): Openings {
  let target: Target | null = null;
  let waiting: Opening[] = [(to) => to.openArguments(parameters, process.cwd())];
  const open = (opening: Opening): void => {
    if (target === null) waiting.push(opening);
    else if (!opening(target)) reveal();
  };
  app.on('second-instance', (_event, argv, workingDirectory, data) => {
    if (isCommand(data)) return;
    open((to) => to.openArguments(argv.slice(1), workingDirectory));
  });
  app.on('open-url', (event, link) => {
    event.preventDefault();
    open((to) => {
      void to.open({ kind: 'link', link });
      return true;
    });
  });
  app.on('open-file', (event, path) => {
    event.preventDefault();
    open((to) => {
      void to.open({ kind: 'file', path });
      return true;
    });
  });
  return {
    connect: (to) => {
      target = to;
      for (const opening of waiting) opening(to);
      waiting = [];
    },
  };
}
