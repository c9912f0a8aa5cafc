import type { Transcript } from './transcript.ts';

/** The models that took over from the first one, in order; empty if the first one gave every answer. */
export const takenOverBy = ({ inputs }: Transcript): readonly string[] => [
  ...new Set(inputs.flatMap((input) => (input.kind === 'reply' ? (input.model ?? []) : []))),
];

/** The model that gave the last answer. A run keeps using this model, even after a restart. */
export const answeringModel = ({ start, inputs }: Transcript): string =>
  inputs.findLast((input) => input.kind === 'reply')?.model ?? start.model;
