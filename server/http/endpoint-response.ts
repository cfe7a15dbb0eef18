/** Sends what handlers return. */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Endpoint } from '../../shared/api/endpoints.ts';
import { CsvFile, OtherResponse, WithCookie } from './endpoint-handler.ts';
import { sendJson, sendJsonWithCookie } from './json-response.ts';
import { createSerializer } from './serialize.ts';

export type Sender = (request: FastifyRequest, reply: FastifyReply, response: unknown) => void;

export function createSender(endpoint: Endpoint): Sender {
  const serialize = createSerializer(endpoint.response);
  const others = new Map(
    Object.entries(endpoint.otherResponses ?? {}).map(([status, schema]) => [Number(status), createSerializer(schema)]),
  );
  return (request, reply, response) => {
    if (response instanceof OtherResponse) {
      const serializeOther = others.get(response.status);
      if (!serializeOther) throw new TypeError(`the endpoint has no response with status ${response.status}`);
      sendJson(request, reply, response.status, serializeOther(response.body));
    } else if (response instanceof WithCookie) {
      const { body, cookie } = response;
      sendJsonWithCookie(request, reply, { status: 200, body: serialize(body), cookie });
    } else if (response instanceof CsvFile) {
      sendCsv(reply, response);
    } else {
      sendJson(request, reply, 200, serialize(response));
    }
  };
}

function sendCsv(reply: FastifyReply, { name, parts }: CsvFile): void {
  reply
    .header('content-type', 'text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .send(Readable.from(parts, { objectMode: false }));
}
