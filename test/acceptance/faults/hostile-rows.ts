/** Faults that hostile input triggers. */
import type { Proof } from '../named-test.ts';

export const HOSTILE_ROWS: Readonly<Record<string, Proof>> = {};
