/** Focuses the screen, for a control that is about to disappear: otherwise the focus would return to the sidebar. */
export function focusContent(): void {
  document.getElementById('content')?.focus();
}
