/** Faults of what a reader clicks or copies. */
import type { Proof } from '../named-test.ts';

export const CLICK_ROWS: Readonly<Record<string, Proof>> = {};
