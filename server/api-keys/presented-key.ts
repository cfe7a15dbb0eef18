/** Finds the API key in a request: in the body or in the header `x-api-key` (decisions "API keys"). */
import { ApiError } from '../errors.ts';

/** Throws `ApiError` VALIDATION_ERROR for none, and for two that differ. */
export function readPresentedKey(inBody: string | undefined, inHeader: string | string[] | undefined): string {
  const header = Array.isArray(inHeader) ? inHeader.join(', ') : inHeader;
  if (inBody !== undefined && header !== undefined && inBody !== header) {
    throw new ApiError('VALIDATION_ERROR', 'api_key and the header x-api-key name different keys: send one of them.');
  }
  const key = inBody ?? header;
  if (key === undefined) {
    throw new ApiError('VALIDATION_ERROR', 'api_key is required: send it in the body or in the header x-api-key.');
  }
  return key;
}
