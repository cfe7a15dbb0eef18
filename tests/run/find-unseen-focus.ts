/** Finds controls that do not show their focus. */
import type { Page } from '@playwright/test';

/** Returns each keyboard-reachable control, in the topmost dialog or the page, that looks the same with the focus. */
export async function findUnseenFocus(page: Page): Promise<string[]> {
  // From here on, the page treats focus changes as made with the keyboard.
  await page.keyboard.press('Shift');
  return page.evaluate(() => {
    const front = [...document.querySelectorAll(':popover-open, dialog[open]')].at(-1) ?? document.body;
    const controls = front.querySelectorAll<HTMLElement>(
      'a[href], button, input, select, textarea, summary, [tabindex]',
    );
    // For a field, the box around it is marked. The field of the palette always has the focus.
    const markOf = (control: HTMLElement) => {
      const { outlineStyle, backgroundColor } = getComputedStyle(
        (control.matches('.input') && control.closest('.field-box')) || control,
      );
      return `${outlineStyle} ${backgroundColor}`;
    };
    const unseen = [...controls].filter((control) => {
      if (control.matches(':disabled, .palette-input, .modal, .popover') || !control.checkVisibility()) return false;
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      const before = markOf(control);
      control.focus();
      return document.activeElement === control && markOf(control) === before;
    });
    return unseen.map(({ outerHTML }) => outerHTML.slice(0, 160));
  });
}
