/**
 * Names used by the options, in a file without the code behind them: `--help` and `health` must not load a whole
 * review.
 */
import { DEFAULT_PROVIDER, PROVIDER_FACTS } from '../../../shared/vocabulary/model-provider.ts';

export const { keyEnv: MODEL_KEY, baseUrlEnv: MODEL_ADDRESS } = PROVIDER_FACTS[DEFAULT_PROVIDER];

/** The commit before another one: what `--commit` compares with. */
export const PARENT = '^1';
