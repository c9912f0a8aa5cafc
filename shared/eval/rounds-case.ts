/**
 * A change request with several pushes, and what is true after each of them. After the review of a push, a good reviewer
 * has exactly one open thread for each defect in `open`, no other open thread, and passes the change only if there is none.
 */
import { z } from 'zod';
import { Severity } from '../vocabulary/finding.ts';
import { commonFields, CasePath, Line } from './case-fields.ts';

/** `text` is null if the push deletes the file. */
const PushedFile = z.strictObject({ path: CasePath, text: z.string().nullable() });

/** `id` names one of the defects of the case. */
export const OpenDefect = z.strictObject({ id: z.string(), path: CasePath, line: Line });
export type OpenDefect = z.output<typeof OpenDefect>;

const Push = z.strictObject({
  /** What the push writes. Empty: an empty commit. */
  files: z.array(PushedFile).max(500),
  open: z.array(OpenDefect).max(200),
});

const MAX_PUSHES = 30;

const Shape = z.strictObject({
  ...commonFields,
  kind: z.literal('rounds'),
  /** What the case is about, for readers. No reviewer sees it. */
  what: z.string().max(1000).default(''),
  /** Files of the target branch. */
  before: z
    .array(z.strictObject({ path: CasePath, text: z.string() }))
    .max(500)
    .default([]),
  defects: z.record(
    z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/),
    z.strictObject({ severity: Severity, text: z.string().min(1).max(4000), category: z.string().max(60).optional() }),
  ),
  pushes: z.array(Push).min(1).max(MAX_PUSHES),
});
type Shape = z.output<typeof Shape>;

/** The files of the change request after each push. */
export const filesAfterPushes = ({
  before,
  pushes,
}: Pick<Shape, 'before' | 'pushes'>): readonly ReadonlyMap<string, string>[] => {
  const files = new Map(before.map(({ path, text }) => [path, text]));
  return pushes.map((push) => {
    for (const { path, text } of push.files) {
      if (text === null) files.delete(path);
      else files.set(path, text);
    }
    return new Map(files);
  });
};

type Mistake = { readonly path: readonly (string | number)[]; readonly message: string };

const mistakesOf = (shape: Shape): readonly Mistake[] => {
  const after = filesAfterPushes(shape);
  const before = [new Map(shape.before.map(({ path, text }) => [path, text])), ...after];
  return shape.pushes.flatMap(({ files, open }, push) => [
    ...files.flatMap(({ path, text }, at) =>
      text === null && before[push]?.has(path) !== true
        ? [{ path: ['pushes', push, 'files', at], message: `deletes ${path}, which does not exist` }]
        : [],
    ),
    ...open.flatMap((defect, at) =>
      whyWrong(defect, { shape, files: after[push] ?? new Map(), others: open.slice(0, at) }).map((message) => ({
        path: ['pushes', push, 'open', at],
        message,
      })),
    ),
  ]);
};

type Around = {
  readonly shape: Shape;
  readonly files: ReadonlyMap<string, string>;
  readonly others: readonly OpenDefect[];
};

const whyWrong = ({ id, path, line }: OpenDefect, { shape, files, others }: Around): readonly string[] => {
  if (!Object.hasOwn(shape.defects, id)) return [`names the defect ${id}, which the case does not have`];
  if (others.some((other) => other.id === id)) return [`names the defect ${id} twice`];
  const text = files.get(path);
  if (text === undefined) return [`names ${path}, which does not exist after this push`];
  return (text.split('\n')[line - 1] ?? '').trim() === ''
    ? [`${path} has no code at line ${line} after this push`]
    : [];
};

export const EvalRoundsCase = Shape.superRefine((shape, context) => {
  for (const { path, message } of mistakesOf(shape)) context.addIssue({ code: 'custom', path: [...path], message });
});
export type EvalRoundsCase = z.output<typeof EvalRoundsCase>;
