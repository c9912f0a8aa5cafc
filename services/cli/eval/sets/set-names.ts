export const EVAL_SETS = ['folder', 'martian', 'aacr', 'bugsinpy', 'secbench'] as const;
export type EvalSetName = (typeof EVAL_SETS)[number];
