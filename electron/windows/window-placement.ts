/** Stores the window's position and size across starts, and restores them onto a screen that is still connected. */
import { z } from 'zod';
import type { Log, PlainStore } from '../licensing/platform.ts';
import { readDocument } from '../licensing/stored-document.ts';

export type Rectangle = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

/** `bounds` is `null` for the default position and size. */
export type WindowPlacement = { readonly bounds: Rectangle | null; readonly maximized: boolean };

const storedPlacement = z.object({
  bounds: z.object({ x: z.int(), y: z.int(), width: z.int().min(1), height: z.int().min(1) }),
  maximized: z.boolean(),
});

const storeName = 'window';
/** At least this much of the window's upper edge must be on a screen, so that the user can drag it. */
const minVisiblePx = 80;
const edgePx = 32;

/** Returns the stored placement, moved to another screen if its own is gone; the default one if none was stored. */
export async function readWindowPlacement(store: PlainStore, screens: readonly Rectangle[]): Promise<WindowPlacement> {
  const read = await readDocument(store, storeName, storedPlacement);
  if (read.kind !== 'value') return { bounds: null, maximized: false };
  const { bounds, maximized } = read.value;
  return { bounds: placeOn(screens, bounds), maximized };
}

/** Stores the placement for the next start; an unreadable document is set aside first. Never rejects. */
export async function writeWindowPlacement(store: PlainStore, log: Log, placement: WindowPlacement): Promise<void> {
  try {
    const read = await readDocument(store, storeName, storedPlacement);
    if (read.kind === 'unreadable') await store.setAside(storeName);
    await store.write(storeName, JSON.stringify(placement));
  } catch {
    log.warn('the position of the window could not be stored');
  }
}

/**
 * Returns the bounds themselves of a window that can be dragged; otherwise centers it on the nearest screen, shrunk to
 * fit. `null` without a screen.
 */
export function placeOn(screens: readonly Rectangle[], window: Rectangle): Rectangle | null {
  if (screens.some((screen) => canBeDragged(window, screen))) return window;
  const [nearest] = screens.toSorted((one, other) => distance(window, one) - distance(window, other));
  if (nearest === undefined) return null;
  const width = Math.min(window.width, nearest.width);
  const height = Math.min(window.height, nearest.height);
  return {
    x: nearest.x + Math.round((nearest.width - width) / 2),
    y: nearest.y + Math.round((nearest.height - height) / 2),
    width,
    height,
  };
}

function canBeDragged(window: Rectangle, screen: Rectangle): boolean {
  const widthPx = Math.min(window.x + window.width, screen.x + screen.width) - Math.max(window.x, screen.x);
  const isEdgeOn = window.y >= screen.y && window.y + edgePx <= screen.y + screen.height;
  return widthPx >= minVisiblePx && isEdgeOn;
}

/** Distance between the centers. */
function distance(one: Rectangle, other: Rectangle): number {
  const [here, there] = [middleOf(one), middleOf(other)];
  return Math.hypot(here.x - there.x, here.y - there.y);
}

function middleOf({ x, y, width, height }: Rectangle): { readonly x: number; readonly y: number } {
  return { x: x + width / 2, y: y + height / 2 };
}
