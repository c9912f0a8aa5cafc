import type { Mutant } from '@stryker-mutator/api/core';

export declare const keyOf: (
  mutant: Pick<Mutant, 'fileName' | 'location' | 'mutatorName' | 'replacement'>,
) => string;
