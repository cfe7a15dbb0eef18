/** Draws a QR code. */
import { encode } from 'uqr';
import type { QrCode } from '../shared/ipc/ipc-schema.ts';

/** With error correction M, in the smallest version that holds the text; throws if none does (over 2,300 bytes). */
export function drawQrCode(text: string): QrCode {
  return { rows: encode(text, { ecc: 'M', boostEcc: false, border: 0 }).data };
}
