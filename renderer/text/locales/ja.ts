/** The window's sentences in Japanese. */
import { en, type Sentences } from './en.ts';

export const ja: Sentences = en;
