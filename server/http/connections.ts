/** Handles connections outside of requests: input that is not HTTP, unsupported expectations, and shutdown. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { errorTable } from '../../shared/api/errors.ts';
import { securityHeaders } from './response-headers.ts';

type ParserError = Error & { code?: string };

/** How long a client has to read the error and close the connection before the socket is destroyed. */
const lingerMs = 1000;

const statusLines: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/**
 * Responds to input that Node's parser rejects and closes the connection. The response is a status line and, for a
 * malformed request, `{error, code}`.
 */
export function sendClientError(error: ParserError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = statusLines[error.code ?? ''];
  const error400 = {
    error: 'The request is not valid HTTP/1.1. Check its first line and headers.',
    code: 'VALIDATION_ERROR',
  };
  socket.end(status ? formatResponse(status) : formatResponse('400 Bad Request', error400));
  // Ending closes only our side; the client could keep the other open indefinitely.
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
}

/** Sends the same response as Node when a request has not arrived in time. */
export function sendRequestTimeout(socket: Socket): void {
  sendClientError(
    Object.assign(new Error('the body has not arrived in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
    socket,
  );
}

/**
 * Discards the rest of a request body that was not read before the response, for a moment only. Closing the connection
 * while the client is still sending would reset it, and the response would be lost (RFC 9112, section 9.6).
 */
export function dropRestOfBody(request: IncomingMessage): void {
  // An injected request is always complete but has no `complete` property.
  if (request.complete !== false) return;
  setTimeout(() => {
    if (!request.complete) request.destroy();
  }, lingerMs).unref();
}

/** Responds 503 to a connection beyond the limit, and closes it at once. */
export function refuseConnection(socket: Socket, isTls: boolean): void {
  const { message, code } = { ...errorTable.SERVICE_UNAVAILABLE, code: 'SERVICE_UNAVAILABLE' };
  const response = formatResponse('503 Service Unavailable', { error: message, code }, ['Retry-After: 1']);
  socket.on('error', () => undefined);
  // A client that is about to start a TLS handshake could not read a plain response.
  if (isTls) socket.destroy();
  else socket.end(response, () => socket.destroy());
}

function formatResponse(status: string, body?: object, headers: readonly string[] = []): string {
  const text = body ? JSON.stringify(body) : '';
  const lines = [
    `HTTP/1.1 ${status}`,
    'Connection: close',
    ...Object.entries(securityHeaders).map(([name, value]) => `${name}: ${value}`),
    ...headers,
    ...(body ? ['Content-Type: application/json; charset=utf-8'] : []),
    `Content-Length: ${Buffer.byteLength(text)}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n${text}`;
}

/** Responds 417 to any `Expect` but `100-continue` and closes; Node's own response lacks the security headers. */
export function rejectExpectation(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(417, { ...securityHeaders, Connection: 'close', 'Content-Length': 0 }).end();
}

/**
 * Lets the app close as soon as pending requests have been answered, even if clients keep their connections open: while
 * it is closing, every response ends its connection, and connections that have not sent anything are closed. Node would
 * wait for the latter until their headers time out.
 */
export function closeConnectionsWhenStopping(app: FastifyInstance): void {
  let isStopping = false;
  const open = new Set<Socket>();
  const track = (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    if (isStopping) socket.destroy();
  };
  // With TLS both events fire: the bytes of the first socket include the handshake, those of the second only requests.
  app.server.on('connection', track).on('secureConnection', track);
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isStopping) reply.header('connection', 'close');
    done();
  });
  app.addHook('preClose', async () => {
    isStopping = true;
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  });
}
