/** Prompts for the staff member in the middle of a call: to sign in again, or to confirm. */
import { create } from 'zustand';

export type Prompt = 'sign-in' | 'confirm';

export const usePrompts = create<{ readonly prompt: Prompt | null }>()(() => ({ prompt: null }));

type Waiting = { readonly prompt: Prompt; readonly answer: PromiseWithResolvers<boolean> };

let waiting: Waiting | null = null;

/**
 * Shows a prompt and resolves to whether the call can be repeated. Calls that need the same prompt share its answer.
 */
export async function askFor(prompt: Prompt): Promise<boolean> {
  if (waiting?.prompt === prompt) return waiting.answer.promise;
  // The session may end while a confirmation is pending; calls that wait for that confirmation are given up.
  answerPrompt(false);
  waiting = { prompt, answer: Promise.withResolvers() };
  usePrompts.setState({ prompt });
  return waiting.answer.promise;
}

/** Closes the prompt, if one is open. */
export function answerPrompt(isDone: boolean): void {
  const answered = waiting;
  waiting = null;
  usePrompts.setState({ prompt: null });
  answered?.answer.resolve(isDone);
}
