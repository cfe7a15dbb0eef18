/** Serves the page of one window on this machine, only to browsers with its token or cookie. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { closeListeners, type Listeners, listenOnLoopback } from './loopback.ts';
import { PageAccess } from './page-access.ts';
import { attachPreload, readHostFile } from './page-files.ts';
import { hostPath, socketPath, uploadPath } from './page-messages.ts';
import type { Uploads } from './uploads.ts';

type PageServerDeps = {
  /** 0 picks a free port. */
  readonly port: number;
  /** The handler that the main process registered for the app's own scheme. */
  readonly handleAppRequest: (request: Request) => Response | Promise<Response>;
  readonly pageUrl: URL;
  /** Path of the preload bundle. */
  readonly preload: string;
  readonly uploads: Uploads;
  readonly onSocket: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Called with the address to open: at the start, and with a new one after a used one was opened. */
  readonly onAddress: (address: string) => void;
};

export class PageServer {
  readonly #deps: PageServerDeps;
  readonly #listeners: Listeners;
  readonly #access: PageAccess;

  private constructor(deps: PageServerDeps, server: Server, listeners: Listeners) {
    this.#deps = deps;
    this.#listeners = listeners;
    this.#access = new PageAccess(listeners.port);
    server.on('request', (request, response) => {
      this.#respond(request, response).catch(() => sendText(response, 500, 'The host could not respond.'));
    });
    server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
    deps.onAddress(this.#access.newAddress());
  }

  /** Starts listening; rejects if the port is taken. */
  static async start(deps: PageServerDeps): Promise<PageServer> {
    const server = createServer();
    return new PageServer(deps, server, await listenOnLoopback(server, deps.port));
  }

  close(): void {
    closeListeners(this.#listeners);
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Node removes its own listener on an upgrade, and a connection may be reset at any time.
    socket.on('error', () => socket.destroy());
    const access = this.#access;
    const allowed = access.hasOwnHost(request) && access.hasOwnOrigin(request) && access.hasCookie(request);
    if (allowed && request.url === socketPath) this.#deps.onSocket(request, socket, head);
    else socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.#access.hasOwnHost(request)) return sendText(response, 403, 'Wrong host name.');
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://host');
    const token = searchParams.get('token');
    if (token !== null) return this.#enter(token, request, response);
    if (!this.#access.hasCookie(request) || isFromAnotherOrigin(request)) {
      return sendText(response, 403, 'Open the address that was printed in the terminal.');
    }
    if (pathname.startsWith(uploadPath)) return this.#receiveFile(pathname, request, response);
    if (pathname.startsWith(hostPath)) return this.#sendHostFile(pathname, response);
    return this.#sendAppFile(request, response);
  }

  /** Only a browser that opens the page uses up the token; a link preview or a probe does not. */
  #enter(token: string, request: IncomingMessage, response: ServerResponse): void {
    if (request.method !== 'GET' || request.headers['sec-fetch-dest'] !== 'document') {
      sendText(response, 200, 'Open this address in a browser.');
      return;
    }
    const hasCookie = this.#access.hasCookie(request);
    const cookie = hasCookie ? null : this.#access.exchange(token);
    if (!hasCookie && cookie === null) {
      if (this.#access.wasUsed(token)) this.#deps.onAddress(this.#access.newAddress());
      sendText(response, 403, 'This address works only once. A new one was printed in the terminal.');
      return;
    }
    if (cookie !== null) response.setHeader('set-cookie', cookie);
    // A redirect status would count as sent by the page that led here, and so would not carry the cookie.
    const headers = { 'content-type': 'text/html; charset=utf-8', 'referrer-policy': 'no-referrer' };
    response.writeHead(200, { ...headers, 'cache-control': 'no-store' });
    response.end('<!doctype html><title>Latchkey</title><meta http-equiv="refresh" content="0; url=/">\n');
  }

  async #receiveFile(pathname: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'PUT' || !this.#access.hasOwnOrigin(request)) return sendText(response, 403, 'Not allowed.');
    const received = await this.#deps.uploads.receive(pathname.slice(uploadPath.length), request);
    if (!received) return sendText(response, 400, 'Invalid file name.');
    response.writeHead(204).end();
  }

  async #sendHostFile(pathname: string, response: ServerResponse): Promise<void> {
    const { preload, uploads } = this.#deps;
    const code = await readHostFile(pathname.slice(hostPath.length), preload, uploads.folder).catch(() => null);
    if (code === null) return sendText(response, 404, 'Not found');
    const headers = { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-store' };
    response.writeHead(200, headers).end(code);
  }

  async #sendAppFile(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pageUrl, handleAppRequest } = this.#deps;
    const path = pathsOfTheApp(pageUrl).get(request.url ?? '') ?? request.url;
    const url = `${pageUrl.protocol}//${pageUrl.host}${path}`;
    const fromApp = await handleAppRequest(new Request(url, { method: request.method }));
    const { headers, body } = await attachPreload(fromApp, `ws://${request.headers.host}`);
    response.writeHead(fromApp.status, headers).end(body);
  }
}

/**
 * Paths that browsers request but the app has under another name. A page without an icon, as in `#enter`, makes them
 * request favicon.ico.
 */
function pathsOfTheApp(pageUrl: URL): ReadonlyMap<string, string> {
  return new Map([
    ['/', pageUrl.pathname],
    ['/favicon.ico', '/icon.svg'],
  ]);
}

/** Pages on other ports of our host name count as the same site, so their requests would carry the cookie. */
function isFromAnotherOrigin(request: IncomingMessage): boolean {
  const site = request.headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

function sendText(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent) return void response.end();
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  response.end(`${text}\n`);
}
