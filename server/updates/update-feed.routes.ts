/** `/updates`: the channel files, the manifest and the files of the update feed, as requested by `electron-updater`. */
import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { plainText } from '../../shared/api/admin/fields.ts';
import { updateVersionParams } from '../../shared/api/admin/updates.ts';
import { updateChannels } from '../../shared/api/update-feed.ts';
import { ApiError } from '../errors.ts';
import { lengthOf } from '../http/byte-ranges.rules.ts';
import { readDescriptorLimit } from '../http/connection-limits.ts';
import { Downloads, decideDownloadLimits } from '../http/downloads.ts';
import { decideFileOutcome, type FileOutcome } from '../http/file-response.rules.ts';
import type { RequestLimiter } from '../http/request-limiter.ts';
import { sendFile } from '../http/send-file.ts';
import type { Services } from '../services.ts';
import { manifestName } from './update-feed.rules.ts';
import type { UpdateFeedService } from './update-feed.service.ts';
import { writeUpdateInfo } from './update-info.ts';

/** HEAD too, because Fastify's own HEAD route would read the file. */
const route = { method: ['GET', 'HEAD'] as HTTPMethods[] };

const fileParams = updateVersionParams.extend({ file: plainText });

const nothingOffered = 'The update feed offers nothing here.';

/** Adds the routes. They need no authentication, and are rate limited like endpoints. */
export function addUpdateFeedRoutes(app: FastifyInstance, limiter: RequestLimiter, { updateFeed }: Services): void {
  const ofChannel = { ...route, onRequest: limiter('default', 'updateChannel').countAddress };
  for (const channel of updateChannels) {
    app.route({
      ...ofChannel,
      url: `/updates/${channel}`,
      handler: async (_request, reply) => {
        const offer = await updateFeed.findOffer(channel);
        return sendText(reply, offer && writeUpdateInfo(offer), 'text/yaml; charset=utf-8');
      },
    });
  }
  const ofManifest = { ...route, onRequest: limiter('default', 'updateManifest').countAddress };
  app.route({
    ...ofManifest,
    url: `/updates/${manifestName}`,
    handler: async (_request, reply) => sendText(reply, await updateFeed.findManifest(), 'application/jwt'),
  });
  app.route({
    ...ofManifest,
    url: `/updates/:version/${manifestName}`,
    handler: async ({ params }, reply) => {
      const at = updateVersionParams.safeParse(params);
      const manifest = at.success ? await updateFeed.findManifest(at.data.version) : undefined;
      return sendText(reply, manifest, 'application/jwt');
    },
  });
  addFileRoute(app, limiter, updateFeed);
}

/** Adds the route of the files. */
function addFileRoute(app: FastifyInstance, limiter: RequestLimiter, updateFeed: UpdateFeedService): void {
  const fileLimit = limiter('default', 'updateFile');
  const downloads = new Downloads(decideDownloadLimits(readDescriptorLimit()));
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const at = fileParams.safeParse(request.params);
    const file = at.success ? await updateFeed.findFile(at.data.version, at.data.file) : undefined;
    const sent = file && { bytes: file.bytes, etag: `"${file.sha256}"` };
    const outcome = sent && decideFileOutcome(request, sent);
    if (!sent || !outcome || !isSmallPart(outcome, sent.bytes)) await fileLimit.countAddress(request);
    if (!file || !sent || !outcome) throw new ApiError('NOT_FOUND', nothingOffered);
    const [contentType, cacheControl] = ['application/octet-stream', 'public, max-age=3600'];
    const open = () => downloads.open(reply, () => updateFeed.open(file));
    return sendFile(reply, { ...sent, contentType, cacheControl, open }, outcome);
  };
  app.route({ ...route, url: '/updates/:version/:file', handler });
}

/**
 * Returns true for a small part of a file. It is not counted against the limit, because an update that downloads only
 * what has changed requests hundreds of them in a row.
 */
function isSmallPart(outcome: FileOutcome, bytes: number): boolean {
  if (outcome.status !== 206) return false;
  const [range, ...others] = outcome.ranges;
  return range !== undefined && others.length === 0 && lengthOf(range) * 2 < bytes;
}

/** Sends a text that caches must revalidate each time. */
function sendText(reply: FastifyReply, text: string | undefined, contentType: string): FastifyReply {
  if (text === undefined) throw new ApiError('NOT_FOUND', nothingOffered);
  const content = Buffer.from(text);
  const etag = `"${hash('sha256', content, 'base64url')}"`;
  const { request } = reply;
  const { status } = decideFileOutcome({ method: 'HEAD', headers: request.headers }, { bytes: content.length, etag });
  reply.code(status).headers({ etag, 'cache-control': 'no-cache' });
  if (status === 304) return reply.send();
  return reply
    .type(contentType)
    .header('content-length', content.length)
    .send(request.method === 'HEAD' ? undefined : content);
}
