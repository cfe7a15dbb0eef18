/** `fetch` over Electron's network stack: with the system's proxy and certificates. */
import { Readable } from 'node:stream';
import { type Fetch, NetworkError } from './http.ts';

/** Electron's `net.request`. */
export type NetRequest = (options: Electron.ClientRequestConstructorOptions) => Electron.ClientRequest;

export type ProxyCredentials = { readonly username: string; readonly password: string };
type FindCredentials = (proxy: Pick<Electron.AuthInfo, 'host' | 'port'>) => ProxyCredentials | null;

/** Electron's own `net.fetch` fails at a redirect with `redirect: 'manual'`, and cannot sign in to a proxy. */
export function createElectronFetch(request: NetRequest, findCredentials: FindCredentials): Fetch {
  return (url, { method = 'GET', headers, body, signal, redirect, credentials, cache }) =>
    new Promise((resolve, reject) => {
      const options = { method, url, redirect, credentials, cache } as Electron.ClientRequestConstructorOptions;
      const sending = request(options);
      new Headers(headers).forEach((value, name) => void sending.setHeader(name, value));
      const abort = () => {
        reject(signal?.reason);
        sending.abort();
      };
      let credentialsGiven = false;
      let isProxyClosed = false;
      sending.on('login', ({ isProxy, host, port }, callback) => {
        // It asks again each time the credentials were wrong, so they are given only once.
        const found = isProxy && !credentialsGiven ? findCredentials({ host, port }) : null;
        credentialsGiven ||= found !== null;
        isProxyClosed = isProxy && found === null;
        callback(found?.username, found?.password);
      });
      sending.on('redirect', (status, _method, _url, responseHeaders) => {
        resolve(new Response(null, { status, headers: toHeaders(responseHeaders) }));
        sending.abort();
      });
      sending.on('response', (response) => {
        const { statusCode: status } = response;
        const content = response as unknown as Readable;
        // An error of a response that nobody reads would be one of the whole process.
        content.on('error', () => {});
        signal?.addEventListener('abort', () => content.destroy(signal.reason), { once: true });
        if (status === 407) return reject(new NetworkError('PROXY_AUTHENTICATION'));
        // Chromium takes any number, and `Response` only these.
        if (status < 200 || status > 599) return reject(new NetworkError('ERR_INVALID_HTTP_RESPONSE'));
        const stream = isWithoutBody(status) ? null : Readable.toWeb(content);
        resolve(
          new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>> | null, {
            status,
            headers: toHeaders(response.headers),
          }),
        );
      });
      sending.on('error', (error) => reject(isProxyClosed ? new NetworkError('PROXY_AUTHENTICATION') : error));
      if (signal?.aborted) return abort();
      signal?.addEventListener('abort', abort, { once: true });
      sending.on('close', () => signal?.removeEventListener('abort', abort));
      sending.end(typeof body === 'string' ? body : undefined);
    });
}

/** Statuses whose response has no body (Fetch Standard, null body status). */
function isWithoutBody(status: number): boolean {
  return [101, 103, 204, 205, 304].includes(status);
}

/** Without those that `Headers` refuses with an exception: a server may send any bytes. */
function toHeaders(headers: Readonly<Record<string, string | string[]>>): Headers {
  const taken = new Headers();
  for (const [name, values] of Object.entries(headers)) {
    for (const value of [values].flat()) {
      try {
        taken.append(name, value);
      } catch {
        // The header is left out.
      }
    }
  }
  return taken;
}
