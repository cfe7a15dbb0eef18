/** What a test needs from a server, whatever the transport. */
import type { AnyEndpointName } from '../../server/http/endpoint-handler.ts';
import type { CallOptions, EndpointCall, TestResponse } from './test-client.ts';

/** What a command prints with `--json`. */
export type Json = Readonly<Record<string, unknown>>;

export type TestServer = {
  readonly dataFolder: string;
  /** Calls an endpoint by name; `at` fills the parameters of its path. */
  call(name: AnyEndpointName, options?: EndpointCall): Promise<TestResponse>;
  /** Calls any path. */
  request(method: string, path: string, options?: CallOptions): Promise<TestResponse>;
  /** Runs an admin command that must succeed, in this process; returns what it printed. */
  admin(...words: string[]): Promise<Json>;
  /** Time of day of the server. */
  now(): number;
};

/** Returns a stand-in for a server that a hook starts later, so that a test file can declare it at the top. */
export function onceStarted<T extends object>(find: () => T | undefined): T {
  return new Proxy({} as T, {
    get(_, name) {
      const server = find();
      if (!server) throw new Error('the server is started before the first case, not earlier');
      return Reflect.get(server, name);
    },
  });
}
