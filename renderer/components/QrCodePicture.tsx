/** A QR code as an image: dark on light in every theme, because many readers support nothing else. */
import type { QrCode } from '../../shared/ipc/ipc-schema.ts';

/** ISO/IEC 18004 requires a margin of four modules. */
const margin = 4;

type Props = { readonly code: QrCode; readonly label: string };

export function QrCodePicture({ code: { rows }, label }: Props) {
  const size = rows.length + 2 * margin;
  return (
    <svg className="qr-code" viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges" role="img" aria-label={label}>
      <path d={rows.map(pathOfRow).join('')} />
    </svg>
  );
}

function pathOfRow(row: readonly boolean[], y: number): string {
  return row.map((isDark, x) => (isDark ? `M${x + margin} ${y + margin}h1v1h-1z` : '')).join('');
}
