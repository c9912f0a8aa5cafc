/** Faults of the local loop that lose work. */
import type { Proof } from '../named-test.ts';

export const LOOP_ROWS: Readonly<Record<string, Proof>> = {};
