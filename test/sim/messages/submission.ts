/** Builds the input of `submit_review` from the tool's schema and the threads that the prompt lists. */
import type { Defect } from './defects.ts';
import type { Exchange } from './exchange.ts';

type Schema = {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
};

export const SUBMIT = 'submit_review';

const schemaOf = ({ tools }: Exchange): Schema => {
  const tool = tools.find(({ name }) => name === SUBMIT);
  // Safe cast: the JSON Schema comes from our own tools, and all fields of `Schema` are optional.
  return (tool?.input_schema ?? {}) as Schema;
};

const plainName = (name: string): string => name.replaceAll('_', '').toLowerCase();

const valuesOf = (defect: Defect): Readonly<Record<string, unknown>> => ({
  ...defect,
  startline: defect.line,
  endline: defect.line,
  side: 'new',
  relation: 'current_diff',
  blocking: defect.severity === 'P2',
});

/** Only fields in the schema; all known fields when the schema does not say. */
const writeFinding = (defect: Defect, item: Schema | undefined): object => {
  const values = valuesOf(defect);
  const names = Object.keys(
    item?.properties ?? { path: {}, line: {}, severity: {}, title: {}, body: {}, evidence: {} },
  );
  return Object.fromEntries(
    names.filter((name) => plainName(name) in values).map((name) => [name, values[plainName(name)]]),
  );
};

export type Answer = {
  readonly action: string;
  readonly stance: string;
  readonly body: string;
  readonly severity?: string;
};

/** Null: the thread gets no answer. */
export type LegalAnswer = (thread: { readonly id: string; readonly actions: readonly string[] }) => Answer | null;

export type PromptedThread = {
  readonly id: string;
  readonly actions: readonly string[];
  readonly needsAction: boolean;
  /** True when `resolve` needs evidence. */
  readonly needsEvidence: boolean;
};

const THREAD = /^(?<id>F-\d{3,}): replies so far: \d+; allowed actions: (?<actions>[a-z, ]+)$/;
const EVIDENCE = ' with evidence';

/** The open threads with a legal action, in the order of the prompt. Those that need one come first, under their own heading. */
export const threadsIn = ({ firstUserText }: Exchange): readonly PromptedThread[] => {
  let needsAction = false;
  return firstUserText.split('\n').flatMap((line) => {
    if (line.startsWith('These are open threads')) needsAction = line.includes('needs exactly one');
    const { id, actions } = THREAD.exec(line)?.groups ?? {};
    if (id === undefined || actions === undefined) return [];
    const listed = actions.split(', ');
    const names = listed.map((action) => action.replace(EVIDENCE, ''));
    return [{ id, actions: names, needsAction, needsEvidence: listed.some((action) => action.endsWith(EVIDENCE)) }];
  });
};

type NamedAnswer = Answer & { readonly thread: string };

const writeAnswers = (threads: readonly PromptedThread[], choose: LegalAnswer): readonly NamedAnswer[] =>
  threads.flatMap(({ id, actions }) => {
    const answer = choose({ id, actions });
    return answer === null ? [] : [{ thread: id, ...answer }];
  });

export const writeSubmission = (
  exchange: Exchange,
  said: { readonly summary: string; readonly defects: readonly Defect[]; readonly choose: LegalAnswer },
): Readonly<Record<string, unknown>> => {
  const properties = schemaOf(exchange).properties ?? {};
  const threads = threadsIn(exchange);
  return {
    summary: said.summary,
    findings: said.defects.map((defect) => writeFinding(defect, properties['findings']?.items)),
    ...('answers' in properties && threads.length > 0 ? { answers: writeAnswers(threads, said.choose) } : {}),
    ...('not_reviewed' in properties ? { not_reviewed: [] } : {}),
  };
};
