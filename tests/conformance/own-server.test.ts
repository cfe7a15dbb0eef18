/** The licensing client against our own server with default settings, and the whole interface below a path. */
import { describe, it } from 'vitest';
import { sharedHttpServer } from '../harness/http-server.ts';
import { httpTransport, TestClient } from '../harness/test-client.ts';
import type { TestServer } from '../harness/test-server.ts';
import { isQuick } from '../run/long-tests.ts';
import { callEveryEndpoint } from './every-endpoint.ts';
import { ownServerCases } from './own-server-cases.ts';

const server = sharedHttpServer();

describe('against our own server', () => ownServerCases(server));

describe('against our own server below a path', () => {
  const withPath = sharedHttpServer({ LATCHKEY_PUBLIC_URL: 'https://example.com/latchkey' });
  const below: TestServer & { readonly url: string } = {
    get url() {
      return `${withPath.url}/latchkey`;
    },
    get dataFolder() {
      return withPath.dataFolder;
    },
    call: (name, options) => new TestClient(httpTransport(below.url)).call(name, options),
    request: (method, path, options) => new TestClient(httpTransport(below.url)).request(method, path, options),
    admin: (...words) => withPath.admin(...words),
    now: () => withPath.now(),
  };

  it('has every endpoint, each with exactly the documented response', () => callEveryEndpoint(below));

  if (!isQuick) ownServerCases(below);
});
