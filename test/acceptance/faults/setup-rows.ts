/** Faults of the set-up and of the doctor. */
import type { Proof } from '../named-test.ts';

export const SETUP_ROWS: Readonly<Record<string, Proof>> = {};
