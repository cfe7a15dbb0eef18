/** Parses JSON text that a client or a billing provider has sent. */
import { ApiError } from './errors.ts';

/** Throws `ApiError` VALIDATION_ERROR if the text is not JSON. */
export function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError('VALIDATION_ERROR', 'The body is not valid JSON. Check its quotes, commas and brackets.');
  }
}
