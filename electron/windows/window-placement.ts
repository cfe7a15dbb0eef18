/** Stores the window's position and size across starts, and restores them only onto a screen that still exists. */
import { z } from 'zod';
import type { PlainStore } from '../licensing/platform.ts';
import { readDocument } from '../licensing/stored-document.ts';

export type Rectangle = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

/** `bounds` is `null` for the default position and size. */
export type WindowPlacement = { readonly bounds: Rectangle | null; readonly maximized: boolean };

const storedPlacement = z.object({
  bounds: z.object({ x: z.int(), y: z.int(), width: z.int().min(1), height: z.int().min(1) }),
  maximized: z.boolean(),
});

const storeName = 'window';
/** At least this much of the window must be on a screen, so that the user can drag it. */
const minVisiblePx = 80;

/** Returns the stored placement, or the default one if none was stored or its screen is gone. */
export async function readWindowPlacement(store: PlainStore, screens: readonly Rectangle[]): Promise<WindowPlacement> {
  const read = await readDocument(store, storeName, storedPlacement);
  if (read.kind !== 'value') return { bounds: null, maximized: false };
  const { bounds, maximized } = read.value;
  return { bounds: screens.some((screen) => overlaps(bounds, screen)) ? bounds : null, maximized };
}

/** Stores the placement for the next start; an unreadable document is set aside first. */
export async function writeWindowPlacement(store: PlainStore, placement: WindowPlacement): Promise<void> {
  const read = await readDocument(store, storeName, storedPlacement);
  if (read.kind === 'unreadable') await store.setAside(storeName);
  await store.write(storeName, JSON.stringify(placement));
}

function overlaps(window: Rectangle, screen: Rectangle): boolean {
  const widthPx = Math.min(window.x + window.width, screen.x + screen.width) - Math.max(window.x, screen.x);
  const heightPx = Math.min(window.y + window.height, screen.y + screen.height) - Math.max(window.y, screen.y);
  return widthPx >= minVisiblePx && heightPx >= minVisiblePx;
}
