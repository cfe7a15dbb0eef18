/** The window's sentences in German. */
import { en, type Sentences } from './en.ts';

export const de: Sentences = en;
