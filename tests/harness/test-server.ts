/** What a test needs of a server, whichever transport reaches it. */
import type { AnyEndpointName } from '../../server/http/endpoint-handler.ts';
import type { CallOptions, EndpointCall, TestResponse } from './test-client.ts';

/** What a command prints with `--json`. */
export type Json = Readonly<Record<string, unknown>>;

export type TestServer = {
  readonly dataFolder: string;
  /** Calls an endpoint of a table; `at` fills the parameters of its path. */
  call(name: AnyEndpointName, options?: EndpointCall): Promise<TestResponse>;
  /** Calls any path. */
  request(method: string, path: string, options?: CallOptions): Promise<TestResponse>;
  /** Runs an admin command that has to succeed, in this process; what it printed. */
  admin(...words: string[]): Promise<Json>;
  /** The server's time of day. */
  now(): number;
};

/** Stands for a server that a hook starts later, so that a test file can name it at its top. */
export function onceStarted<T extends object>(find: () => T | undefined): T {
  return new Proxy({} as T, {
    get(_, name) {
      const server = find();
      if (!server) throw new Error('the server is started before the first case, not earlier');
      return Reflect.get(server, name);
    },
  });
}
