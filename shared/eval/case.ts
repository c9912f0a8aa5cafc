/** An evaluation case in a neutral form: a change, and what a reviewer should say about it. Lines count from 1. */
import { z } from 'zod';
import { Severity, Side } from '../vocabulary/finding.ts';
import { commonFields, CasePath, Line } from './case-fields.ts';
import { EvalRoundsCase } from './rounds-case.ts';

const Revision = z.string().min(1).max(1000);

/** A label: one defect that the change has. `from` and `to` are the first and the last line on `side`. */
export const EvalGolden = z
  .strictObject({
    path: CasePath.optional(),
    /** `path` may lack its first folders, and names the only file of the change that ends with it. */
    pathEnd: z.literal(true).optional(),
    from: Line.optional(),
    to: Line.optional(),
    side: Side.default('new'),
    text: z.string().min(1).max(4000),
    severity: Severity,
    category: z.string().min(1).max(60).optional(),
  })
  .refine(({ from, path }) => from === undefined || path !== undefined, { message: 'from needs a path' })
  .refine(({ pathEnd, path }) => pathEnd === undefined || path !== undefined, { message: 'pathEnd needs a path' })
  .refine(({ from, to }) => to === undefined || (from !== undefined && from <= to), {
    message: 'to needs a from that is not greater',
  });
export type EvalGolden = z.output<typeof EvalGolden>;

/** `path`: a repository on this machine; relative to the case file. `fetch`: an address that git can fetch from. */
export const EvalRepository = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('path'), path: CasePath }),
  z.strictObject({
    kind: z.literal('fetch'),
    url: z.string().regex(/^https?:\/\/[^\s@]+$/, { message: 'expected an http(s) address without a user' }),
  }),
]);
export type EvalRepository = z.output<typeof EvalRepository>;

/** `before` and `after` are null where the file does not exist. */
export const EvalFile = z.strictObject({
  path: CasePath,
  before: z.string().nullable(),
  after: z.string().nullable(),
});
export type EvalFile = z.output<typeof EvalFile>;

/**
 * - `commits`: reviewed from the merge base or, with `trees`, as if the tree of `head` were committed on `base`.
 * - `patch`: the patch applied to `base`, or taken back there.
 * - `files`: two small trees.
 * - `package`: all files of one version of an npm package, as a new change.
 */
export const EvalChange = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('commits'),
    repository: EvalRepository,
    base: Revision,
    head: Revision,
    compare: z.enum(['merge_base', 'trees']).default('merge_base'),
  }),
  z.strictObject({
    kind: z.literal('patch'),
    repository: EvalRepository,
    base: Revision,
    patch: z.string().min(1),
    reverse: z.boolean().default(false),
  }),
  z.strictObject({ kind: z.literal('files'), files: z.array(EvalFile).min(1).max(500) }),
  z.strictObject({
    kind: z.literal('package'),
    name: z.string().regex(/^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[A-Za-z0-9~-][A-Za-z0-9._~-]*$/),
    version: z.string().regex(/^[0-9][0-9A-Za-z.+-]{0,60}$/),
  }),
]);
export type EvalChange = z.output<typeof EvalChange>;

/** One change that is reviewed once. */
export const EvalChangeCase = z
  .strictObject({
    ...commonFields,
    kind: z.enum(['defect', 'clean']),
    change: EvalChange,
    golden: z.array(EvalGolden).max(1000),
    /** How many lines the change has according to the set, to notice when another change was built. */
    changedLines: z.number().int().positive().optional(),
  })
  .refine(({ kind, golden }) => (kind === 'defect') === golden.length > 0, {
    message: 'a case of kind "defect" needs a label in golden, and a clean one has none',
  });
export type EvalChangeCase = z.output<typeof EvalChangeCase>;

export const EvalCase = z.discriminatedUnion('kind', [EvalChangeCase, EvalRoundsCase], {
  error: (issue) => (issue.code === 'invalid_union' ? 'expected the kind "defect", "clean" or "rounds"' : undefined),
});
export type EvalCase = z.output<typeof EvalCase>;
