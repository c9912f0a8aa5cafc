/** Builds the input of `submit_review` from the tool's schema. */
import type { Defect } from './defects.ts';
import type { Exchange } from './exchange.ts';

type Schema = {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
};

export const SUBMIT = 'submit_review';

export const schemaOf = ({ tools }: Exchange): Schema => {
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

/** The schema names the threads and the legal actions of each. */
const writeAnswers = (answers: Schema | undefined, choose: LegalAnswer): Readonly<Record<string, Answer>> =>
  Object.fromEntries(
    Object.entries(answers?.properties ?? {}).flatMap(([id, schema]) => {
      const actions = (schema.properties?.['action']?.enum ?? []).map(String);
      const answer = choose({ id, actions });
      return answer === null ? [] : [[id, answer]];
    }),
  );

export const writeSubmission = (
  schema: Schema,
  said: { readonly summary: string; readonly defects: readonly Defect[]; readonly choose: LegalAnswer },
): Readonly<Record<string, unknown>> => {
  const properties = schema.properties ?? {};
  return {
    summary: said.summary,
    findings: said.defects.map((defect) => writeFinding(defect, properties['findings']?.items)),
    ...('answers' in properties ? { answers: writeAnswers(properties['answers'], said.choose) } : {}),
    ...('not_reviewed' in properties ? { not_reviewed: [] } : {}),
  };
};

export const openThreadIds = (schema: Schema): readonly string[] =>
  Object.keys(schema.properties?.['answers']?.properties ?? {});
