/** Whether a key or a paste is for something else than the screen. */

const textFields = 'input:not([type="checkbox"], [type="radio"]), textarea, [contenteditable]';

/** True in a text field, which takes it, for a key also in a list of choices, and while a dialog is open. */
export function isTakenElsewhere({ type, target }: Event): boolean {
  const takers = type === 'paste' ? textFields : `${textFields}, select`;
  return (target instanceof Element && target.matches(takers)) || document.querySelector('dialog[open]') !== null;
}
