/** What happens to connections outside of requests: input that is not HTTP, unsupported expectations, and shutdown. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { errorTable } from '../../shared/api/errors.ts';
import { securityHeaders } from './response-headers.ts';

type ParserError = Error & { code?: string };

/** How long a client has to read the error and close the connection, before it is destroyed. */
const lingerMs = 1000;

const statusLines: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Responds to what Node's parser rejects: a status line, for a malformed request also `{error, code}`; then closes. */
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
  // Ending leaves the other direction open for as long as the client likes.
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
}

/** As Node does with a request that has not arrived in time. */
export function sendRequestTimeout(socket: Socket): void {
  sendClientError(
    Object.assign(new Error('the body has not arrived in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
    socket,
  );
}

/**
 * After a response to a request whose body has not been read: lets the rest arrive for a moment, which Node drops. To close
 * the connection while the client is sending resets it, and the response is lost (RFC 9112, section 9.6).
 */
export function dropRestOfBody(request: IncomingMessage): void {
  // An injected request is complete, and says nothing of it.
  if (request.complete !== false) return;
  setTimeout(() => {
    if (!request.complete) request.destroy();
  }, lingerMs).unref();
}

/** Responds 503 to a connection that is one too many, and closes it at once. */
export function refuseConnection(socket: Socket, isTls: boolean): void {
  const { message, code } = { ...errorTable.SERVICE_UNAVAILABLE, code: 'SERVICE_UNAVAILABLE' };
  const response = formatResponse('503 Service Unavailable', { error: message, code }, ['Retry-After: 1']);
  socket.on('error', () => undefined);
  // A client that is about to start TLS cannot read it.
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

/** Responds 417 to an `Expect` other than `100-continue` and closes; Node itself would leave out the security headers. */
export function rejectExpectation(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(417, { ...securityHeaders, Connection: 'close', 'Content-Length': 0 }).end();
}

/**
 * Lets the app close as soon as pending requests have their response, even if clients keep their connections open:
 * once it is closing, every response ends its connection, and connections that sent no request are closed.
 * Node would wait for the latter until their headers time out.
 */
export function closeConnectionsWhenStopping(app: FastifyInstance): void {
  let isStopping = false;
  const open = new Set<Socket>();
  const track = (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    if (isStopping) socket.destroy();
  };
  // With TLS both events occur: the first socket also counts the bytes of the handshake, the second only the requests.
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
