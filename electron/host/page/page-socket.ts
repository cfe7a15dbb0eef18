/** The page's end of the socket: calls wait while it is down, and it is opened again when it drops. */
import { type HostMessage, type PageMessage, socketPath } from '../messages.ts';
import { decodeValue, encodeValue } from '../structured-clone-tags.ts';
import { filesArrived } from './file-paths.ts';
import { answerQuestion } from './questions.ts';

const shortestWaitMs = 250;
const longestWaitMs = 5_000;

type Call = { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void };
type Outgoing = { readonly text: string; readonly sent?: () => void };

export type PageSocketOptions = {
  readonly uploadsFolder: string;
  readonly onEvent: (channel: string, input: readonly unknown[]) => void;
};

/** Connects, and stays connected. */
export function createPageSocket({ uploadsFolder, onEvent }: PageSocketOptions) {
  const calls = new Map<number, Call>();
  let waiting: Outgoing[] = [];
  let lastId = 0;
  let waitMs = shortestWaitMs;
  let socket: WebSocket;

  function connect(): void {
    socket = new WebSocket(`ws://${location.host}${socketPath}`);
    socket.addEventListener('open', opened);
    socket.addEventListener('message', ({ data }) => receive(decodeValue(data) as HostMessage));
    socket.addEventListener('close', closed);
  }

  function opened(): void {
    waitMs = shortestWaitMs;
    tellVisible();
    const queue = waiting;
    waiting = [];
    for (const outgoing of queue) post(outgoing);
  }

  /** What was sent and not answered may have been done: it is not sent again. */
  function closed(): void {
    for (const call of calls.values()) call.reject(new Error('The connection to Latchkey was interrupted.'));
    calls.clear();
    setTimeout(connect, waitMs);
    waitMs = Math.min(waitMs * 2, longestWaitMs);
  }

  function send(message: PageMessage): void {
    post({ text: encodeValue(message) });
  }

  function post(outgoing: Outgoing): void {
    if (socket.readyState !== WebSocket.OPEN) return void waiting.push(outgoing);
    socket.send(outgoing.text);
    outgoing.sent?.();
  }

  function receive(message: HostMessage): void {
    if (message.kind === 'event') onEvent(message.channel, message.input);
    else if (message.kind === 'ask') {
      const { id } = message;
      void answerQuestion(message.question, uploadsFolder).then((value) => send({ kind: 'reply', id, value }));
    } else {
      const call = calls.get(message.id);
      calls.delete(message.id);
      if (message.kind === 'answer') call?.resolve(message.value);
      else call?.reject(new Error(message.message));
    }
  }

  async function invoke(channel: string, ...input: unknown[]): Promise<unknown> {
    lastId += 1;
    const id = lastId;
    const text = encodeValue({ kind: 'invoke', id, channel, input } satisfies PageMessage);
    await filesArrived(text);
    return new Promise((resolve, reject) => {
      post({ text, sent: () => calls.set(id, { resolve, reject }) });
    });
  }

  function tellVisible(): void {
    if (socket.readyState === WebSocket.OPEN)
      send({ kind: 'visible', visible: document.visibilityState === 'visible' });
  }

  document.addEventListener('visibilitychange', tellVisible);
  connect();
  return { invoke };
}
