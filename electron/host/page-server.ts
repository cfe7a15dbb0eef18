/** Serves one window's page on 127.0.0.1, to whoever holds its token or its cookie. */
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { hostPath, socketPath, uploadPath } from './messages.ts';
import { createPageAccess, type PageAccess } from './page-access.ts';
import { attachPreload, preloadModule } from './page-preload.ts';
import type { Uploads } from './uploads.ts';

export type PageServerOptions = {
  /** 0 picks a free one. */
  readonly port: number;
  /** Answers for the app's own scheme, as registered by main. */
  readonly answerApp: (request: Request) => Response | Promise<Response>;
  readonly pageUrl: URL;
  readonly preload: string;
  readonly uploads: Uploads;
  readonly onSocket: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** An address to open: the first, and another whenever somebody comes with a used one. */
  readonly onAddress: (address: string) => void;
};

export type PageServer = { readonly close: () => void };

/** Starts to serve and tells the first address. */
export async function servePage(options: PageServerOptions): Promise<PageServer> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port, '127.0.0.1', resolve);
  });
  const access = createPageAccess((server.address() as AddressInfo).port);
  server.on('request', (request, response) => {
    answer(request, response, access, options).catch(() => refuse(response, 500, 'The host could not answer.'));
  });
  server.on('upgrade', (request, socket, head) => {
    const allowed = access.isForUs(request) && access.isOwnOrigin(request) && access.hasCookie(request);
    if (allowed && request.url === socketPath) options.onSocket(request, socket, head);
    else socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
  });
  options.onAddress(access.newAddress());
  return {
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  access: PageAccess,
  options: PageServerOptions,
): Promise<void> {
  if (!access.isForUs(request)) return refuse(response, 403, 'This address is not ours.');
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://host');
  const token = searchParams.get('token');
  if (token !== null) return enter(token, request, response, access, options);
  if (!access.hasCookie(request) || isFromElsewhere(request)) return refuse(response, 403, 'Open the printed address.');
  if (pathname.startsWith(uploadPath)) return receiveFile(pathname, request, response, access, options);
  if (pathname.startsWith(hostPath)) return answerHostFile(pathname, response, options);
  return answerApp(request, response, options);
}

/** A program that only looks at the address (a link preview, a probe) does not use the token up. */
function enter(
  token: string,
  request: IncomingMessage,
  response: ServerResponse,
  access: PageAccess,
  { onAddress }: PageServerOptions,
): void {
  if (request.method !== 'GET' || request.headers['sec-fetch-dest'] !== 'document') {
    refuse(response, 200, 'Open this address in a browser.');
    return;
  }
  const cookie = access.hasCookie(request) ? null : access.exchange(token);
  if (cookie !== null) response.setHeader('set-cookie', cookie);
  else if (!access.hasCookie(request)) {
    if (access.wasUsed(token)) onAddress(access.newAddress());
    refuse(response, 403, 'This address works once. A new one stands in the terminal.');
    return;
  }
  response.writeHead(303, { location: '/', 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).end();
}

/** Pages on other ports of this machine count as the same site, so their requests would carry the cookie. */
function isFromElsewhere(request: IncomingMessage): boolean {
  const site = request.headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

async function receiveFile(
  pathname: string,
  request: IncomingMessage,
  response: ServerResponse,
  access: PageAccess,
  { uploads }: PageServerOptions,
): Promise<void> {
  if (request.method !== 'PUT' || !access.isOwnOrigin(request)) return refuse(response, 403, 'Not from this page.');
  const path = await uploads.receive(pathname.slice(uploadPath.length), request);
  if (path === null) return refuse(response, 400, 'No file name.');
  response.writeHead(204).end();
}

async function answerHostFile(pathname: string, response: ServerResponse, options: PageServerOptions): Promise<void> {
  const text = await hostFile(pathname.slice(hostPath.length), options).catch(() => null);
  if (text === null) return refuse(response, 404, 'Not found');
  response.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-store' }).end(text);
}

/** The preload, or one of the modules that it imports, in the browser's language. */
async function hostFile(name: string, { preload, uploads }: PageServerOptions): Promise<string | null> {
  if (name === 'preload.js') return preloadModule(preload, uploads.folder);
  if (!/^(page\/)?[a-z-]+\.ts$/.test(name)) return null;
  return stripTypeScriptTypes(await readFile(new URL(name, import.meta.url), 'utf8'));
}

async function answerApp(
  request: IncomingMessage,
  response: ServerResponse,
  options: PageServerOptions,
): Promise<void> {
  const { protocol, host } = options.pageUrl;
  const url = `${protocol}//${host}${request.url === '/' ? options.pageUrl.pathname : request.url}`;
  const given = await options.answerApp(new Request(url, { method: request.method }));
  const { headers, body } = await attachPreload(given, `ws://${request.headers.host}`);
  response.writeHead(given.status, headers).end(body);
}

function refuse(response: ServerResponse, status: number, sentence: string): void {
  if (response.headersSent) return void response.end();
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  response.end(`${sentence}\n`);
}
