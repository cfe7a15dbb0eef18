/**
 * Finds out whether a statement that may take very long is still being executed. As long as PostgreSQL sends nothing, neither
 * the connection nor TCP shows that: a proxy or a machine in between may keep the connection open by itself.
 */
import { Client, type ClientConfig } from 'pg';
import { streamOf } from './postgres-socket.ts';

export type SilenceDeps = {
  readonly client: Client;
  /** For the connection that asks. */
  readonly config: ClientConfig;
  /** How long a connection may be silent until another one asks PostgreSQL what it does. */
  readonly silenceMs: number;
  /** How many bytes have arrived so far. */
  readonly bytesRead: () => number;
  /** The server cannot be reached, or says that it does not execute the statement. */
  readonly onLost: () => void;
};

const askTimeoutMs = 5_000;

/** Watches until the returned function is called. */
export function watchSilence(deps: SilenceDeps): () => void {
  let isOver = false;
  let bytes = deps.bytesRead();
  let timer: NodeJS.Timeout;
  const check = async () => {
    const isSilent = () => !isOver && deps.bytesRead() === bytes;
    if (isSilent() && !(await isExecuting(deps)) && isSilent()) {
      deps.onLost();
      return;
    }
    bytes = deps.bytesRead();
    if (!isOver) start();
  };
  const start = () => {
    timer = setTimeout(() => void check(), deps.silenceMs);
  };
  start();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** Behind a pooler PostgreSQL does not know the connection: then it is enough that the server responds. */
async function isExecuting({ client, config }: SilenceDeps): Promise<boolean> {
  const asking = new Client({
    ...config,
    application_name: 'latchkey-watch',
    connectionTimeoutMillis: askTimeoutMs,
    query_timeout: askTimeoutMs,
  });
  asking.on('error', () => undefined);
  try {
    await asking.connect();
    const { processID } = client as Client & { readonly processID?: number | null };
    const text = "select state = 'active' as is_active from pg_stat_activity where pid = $1";
    const { rows } = await asking.query<{ is_active: boolean }>(text, [processID ?? 0]);
    return rows[0]?.is_active !== false;
  } catch {
    return false;
  } finally {
    asking.end().catch(() => undefined);
    // A server that does not respond must not keep the process running.
    streamOf(asking).destroySoon();
  }
}
