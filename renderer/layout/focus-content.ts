/** Focuses the screen itself, past the sidebar. */
export function focusContent(): void {
  document.getElementById('content')?.focus();
}
