/** Whether a key or a paste is for something else than the screen. */

/** True in a text field, which takes it, and while a dialog is open. */
export function isTakenElsewhere({ target }: Event): boolean {
  const isField = target instanceof Element && target.matches('input, textarea, select, [contenteditable]');
  return isField || document.querySelector('dialog[open]') !== null;
}
