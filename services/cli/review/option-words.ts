/**
 * Names used by the options. They have their own file so that `--help` and `health` do not load the code of a review.
 */
import { DEFAULT_PROVIDER, PROVIDER_FACTS } from '../../../shared/vocabulary/model-provider.ts';

export const { keyEnv: MODEL_KEY, baseUrlEnv: MODEL_ADDRESS } = PROVIDER_FACTS[DEFAULT_PROVIDER];

/** Suffix for the parent of a commit; `--commit` compares with it. */
export const PARENT = '^1';
