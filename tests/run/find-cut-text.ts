/**
 * Finds text that a page cuts off: it does not fit into its box, is covered by something
 * else, or is outside the window.
 */
import type { Page } from '@playwright/test';

/** Returns each such text in the topmost dialog, or in the page, as far as the window shows it without scrolling. */
export function findCutText(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const front = [...document.querySelectorAll(':popover-open, dialog[open]')].at(-1) ?? document.body;
    const found = new Set<string>();
    const describe = ({ tagName, className }: Element) => `${tagName}.${className}`;

    /**
     * Returns the part of the box that is visible in this ancestor; `null` if none is, or if it
     * is clipped or hidden on purpose.
     */
    const seenIn = (ancestor: Element, box: DOMRect, text: string): DOMRect | null => {
      const style = getComputedStyle(ancestor);
      if (style.clipPath !== 'none' || style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none')
        return null;
      const outer = ancestor.getBoundingClientRect();
      const isPainted = style.borderTopWidth !== '0px' || style.backgroundColor !== 'rgba(0, 0, 0, 0)';
      for (const [overflow, beyond] of [
        [style.overflowX, Math.max(outer.left - box.left, box.right - outer.right)],
        [style.overflowY, Math.max(outer.top - box.top, box.bottom - outer.bottom)],
      ] as const) {
        const isScrolled = overflow === 'auto' || overflow === 'scroll';
        if (beyond > 1.5 && !isScrolled && (isPainted || overflow !== 'visible'))
          found.add(`"${text}" is not within ${describe(ancestor)}`);
      }
      if (style.overflowX === 'visible' && style.overflowY === 'visible') return box;
      const left = Math.max(box.left, outer.left);
      const top = Math.max(box.top, outer.top);
      const [width, height] = [Math.min(box.right, outer.right) - left, Math.min(box.bottom, outer.bottom) - top];
      return width <= 0 || height <= 0 ? null : new DOMRect(left, top, width, height);
    };

    const floats = (element: Element) =>
      element.closest('.toasts, option') !== null || getComputedStyle(element).position === 'sticky';
    /** Returns what covers the text at its start, its middle or its end. */
    const coverOf = (element: Element, { left, right, top, bottom }: DOMRect) =>
      [left + 2, (left + right) / 2, right - 2]
        .map((x) => document.elementFromPoint(x, (top + bottom) / 2))
        .find((hit) => hit && !hit.contains(element) && !element.contains(hit) && !floats(hit));

    const walker = document.createTreeWalker(front, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node.parentElement;
      const text = node.nodeValue?.trim() ?? '';
      if (element === null || text === '' || element.closest('option, .skip') !== null) continue;
      if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const rect of range.getClientRects()) {
        let box: DOMRect | null = rect.width > 0 ? rect : null;
        for (let at: Element | null = element; box && at; at = at === front ? null : at.parentElement) {
          box = seenIn(at, box, text);
        }
        if (box === null) continue;
        if (box.left < -1 || box.right > window.innerWidth + 1) found.add(`"${text}" is beside the window`);
        const cover = getComputedStyle(element).pointerEvents === 'none' ? undefined : coverOf(element, box);
        if (cover) found.add(`"${text}" is under ${describe(cover)}`);
      }
    }

    for (const element of [document.documentElement, ...front.querySelectorAll('*')]) {
      const isBox = element === document.documentElement || getComputedStyle(element).overflowX !== 'visible';
      if (isBox && element.clientWidth > 1 && element.scrollWidth > element.clientWidth + 1)
        found.add(
          `${describe(element)} is ${element.clientWidth} px wide, and what is in it ${element.scrollWidth} px`,
        );
    }
    return [...found];
  });
}
