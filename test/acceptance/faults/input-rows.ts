/** Faults about which input a verdict belongs to. */
import type { Proof } from '../named-test.ts';

export const INPUT_ROWS: Readonly<Record<string, Proof>> = {};
