/** Draws a QR code. */
import { encode } from 'uqr';
import type { QrCode } from '../shared/ipc/ipc-schema.ts';

/** Uses error correction M and the smallest version that fits the text; throws if none does (over 2,300 bytes). */
export function drawQrCode(text: string): QrCode {
  return { rows: encode(text, { ecc: 'M', boostEcc: false, border: 0 }).data };
}
