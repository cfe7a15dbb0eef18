/**
 * Limits how many files are downloaded at the same time, in total and per client address, so that descriptors and
 * memory remain for everything else. `streamed-body.ts` ends downloads whose clients hardly read.
 */
import { once } from 'node:events';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../errors.ts';
import { rateLimitAddress } from '../network-address.ts';
import type { OpenFile } from './send-file.ts';

type DownloadLimits = { readonly total: number; readonly perAddress: number };

const fewestDownloads = 8;
/** Each download takes half a megabyte of memory. */
const mostDownloads = 256;
const retryAfterSeconds = 10;
const tooMany = 'Too many files are being downloaded. Try again in a moment.';

/** A share of the file descriptors: each download needs one besides that of its connection. */
export function decideDownloadLimits(descriptorLimit: number): DownloadLimits {
  const total = Math.min(mostDownloads, Math.max(fewestDownloads, Math.floor(descriptorLimit / 16)));
  return { total, perAddress: Math.max(fewestDownloads, Math.floor(total / 4)) };
}

export class Downloads {
  readonly #limits: DownloadLimits;
  readonly #byAddress = new Map<string, number>();
  #total = 0;

  constructor(limits: DownloadLimits) {
    this.#limits = limits;
  }

  /**
   * Opens the file of a response once that response is the next to be sent on its connection, so that pipelined
   * requests do not hold files open. Throws `ApiError` SERVICE_UNAVAILABLE if too many are open, and whatever `open`
   * throws.
   */
  async open({ raw, request }: FastifyReply, open: () => Promise<OpenFile>): Promise<OpenFile> {
    if (raw.socket === null) await once(raw, 'socket');
    const leave = this.#enter(rateLimitAddress(request.ip));
    try {
      const file = await open();
      const close = () => {
        leave();
        return file.close();
      };
      return { read: file.read.bind(file), close };
    } catch (error) {
      leave();
      throw error;
    }
  }

  #enter(address: string): () => void {
    const { total, perAddress } = this.#limits;
    const ofAddress = this.#byAddress.get(address) ?? 0;
    if (this.#total >= total || ofAddress >= perAddress) {
      throw new ApiError('SERVICE_UNAVAILABLE', tooMany, retryAfterSeconds);
    }
    this.#total += 1;
    this.#byAddress.set(address, ofAddress + 1);
    return () => {
      this.#total -= 1;
      const rest = (this.#byAddress.get(address) ?? 1) - 1;
      if (rest === 0) this.#byAddress.delete(address);
      else this.#byAddress.set(address, rest);
    };
  }
}
