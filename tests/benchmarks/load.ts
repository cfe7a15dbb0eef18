/** The order for a load generator and its result: it runs as a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

export type LoadOrder = {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly seconds: number;
  /** One for each connection: what it sends again and again. */
  readonly connections: readonly {
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  }[];
  /** A field of each response that becomes the body of the connection's next request. */
  readonly carry?: string;
};

export type LoadResult = { readonly requestsPerSecond: number; readonly p50Ms: number; readonly p99Ms: number };

const program = fileURLToPath(new URL('load-process.ts', import.meta.url));

export async function runLoad(order: LoadOrder): Promise<LoadResult> {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(order));
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (code !== 0) throw new Error(`the load generator failed on ${order.url}`);
  return JSON.parse(output) as LoadResult;
}
