/**
 * Models that know what is wrong, and good or bad habits in saying so. Each reads the file that it talks about first, as a
 * model does, and recognises a defect by its place and its line in the diff.
 */
import type { EvalChangeCase } from '../../../../shared/eval/case.ts';
import { type EvalRoundsCase, filesAfterPushes } from '../../../../shared/eval/rounds-case.ts';
import type { Defect } from '../../../sim/messages/defects.ts';
import type { Exchange } from '../../../sim/messages/exchange.ts';
import { type DiffLine, readDiff } from '../../../sim/messages/read-diff.ts';
import { reply, text, toolUse } from '../../../sim/messages/reply.ts';
import type { Script } from '../../../sim/messages/script.ts';
import {
  type Answer,
  SUBMIT,
  type PromptedThread,
  threadsIn,
  writeSubmission,
} from '../../../sim/messages/submission.ts';

/** A defect at its line, as it is in the code at some time. */
export type KnownDefect = Pick<DiffLine, 'path' | 'line' | 'text'> & { readonly about: string };

const VERIFY = 'submit_verification';

const lineOf = (content: string | null | undefined, line: number): string => content?.split('\n')[line - 1] ?? '';

export const defectsIn = (cases: readonly (EvalChangeCase | EvalRoundsCase)[]): readonly KnownDefect[] =>
  cases.flatMap((each) => {
    if (each.kind === 'rounds') {
      const after = filesAfterPushes(each);
      return each.pushes.flatMap(({ open }, push) =>
        open.map(({ id, path, line }) => {
          const about = each.defects[id]?.text ?? '';
          return { path, line, text: lineOf(after[push]?.get(path), line), about };
        }),
      );
    }
    const { change, golden } = each;
    const files = change.kind === 'files' ? change.files : [];
    return golden.map(({ path = '', from = 0, text: about }) => {
      const file = files.find((one) => one.path === path);
      return { path, line: from, text: lineOf(file?.after, from), about };
    });
  });

const MAX_TITLE = 70;

const titleOf = (about: string): string => about.slice(0, MAX_TITLE);

export type Looking = {
  readonly exchange: Exchange;
  readonly added: readonly DiffLine[];
  /** The known defects that the diff has now. */
  readonly present: readonly KnownDefect[];
  readonly threads: readonly (PromptedThread & { readonly isFixed: boolean })[];
};

export type Habit = {
  readonly says: (looking: Looking) => readonly Defect[];
  readonly answers: (thread: Looking['threads'][number]) => Answer | null;
};

export const saying = ({ path, line, text: evidence, about }: KnownDefect, title = about): Defect => ({
  path,
  line,
  severity: 'P1',
  title: titleOf(title),
  body: about,
  evidence,
});

export const RESOLVE: Answer = { action: 'resolve', stance: 'accepts', body: 'This is fixed now.' };

export const insistOn = ({ actions }: PromptedThread): Answer | null => {
  const action = ['reply', 'veto', 'escalate'].find((each) => actions.includes(each));
  return action === undefined ? null : { action, stance: 'seeks_change', body: 'The code is still as it was.' };
};

/** The prompt names the title of each thread in the line with its id. */
const isAbout = ({ firstUserText }: Exchange, id: string, title: string): boolean =>
  firstUserText.split('\n').some((line) => line.startsWith(`${id} P`) && line.includes(title));

const looked = (exchange: Exchange, known: readonly KnownDefect[]): Looking => {
  const added = readDiff(exchange.firstUserText).filter(({ kind }) => kind === 'added');
  const present = known.filter((defect) =>
    added.some(({ path, line, text: of }) => path === defect.path && line === defect.line && of === defect.text),
  );
  const threads = threadsIn(exchange).map((thread) => ({
    ...thread,
    isFixed: !present.some(({ about }) => isAbout(exchange, thread.id, titleOf(about))),
  }));
  return { exchange, added, present, threads };
};

/** The defects that no open thread is about. */
export const unsaid = ({ exchange, present, threads }: Looking): readonly KnownDefect[] =>
  present.filter(({ about }) => !threads.some(({ id }) => isAbout(exchange, id, titleOf(about))));

/** Whoever is asked to verify a claim believes it. */
export const scripted =
  (known: readonly KnownDefect[], habit: Habit): Script =>
  (exchange) => {
    const has = (tool: string): boolean => exchange.tools.some(({ name }) => name === tool);
    if (has(VERIFY)) return reply([toolUse(VERIFY, { outcome: 'confirmed', reason: 'It is as the claim says.' })]);
    if (!has(SUBMIT)) return reply([text('Nothing more.')]);
    const looking = looked(exchange, known);
    const [first] = looking.added;
    if (exchange.turn === 0 && first !== undefined) return reply([toolUse('Read', { path: first.path })]);
    const defects = habit.says(looking);
    const answers = new Map(looking.threads.map((thread) => [thread.id, habit.answers(thread)]));
    const choose = ({ id }: { readonly id: string }): Answer | null => answers.get(id) ?? null;
    return reply([toolUse(SUBMIT, writeSubmission(exchange, { summary: 'Reviewed.', defects, choose }))]);
  };

export const CAREFUL: Habit = {
  says: (looking) => unsaid(looking).map((defect) => saying(defect)),
  answers: (thread) => (thread.isFixed ? RESOLVE : thread.needsAction ? insistOn(thread) : null),
};
