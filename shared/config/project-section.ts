/** `[[project]]`: settings of the projects that a pattern matches. The last matching section wins, key by key. */
import { z } from 'zod';
import { Agent, ModelBudgets } from './agent-settings.ts';
import { AnalyzerSettings } from './analyzer-settings.ts';
import { Author } from './author-settings.ts';
import { overridesOf } from './projects/overrides.ts';
import { ValidationSettings } from './validation-settings.ts';
import { ProjectPattern } from './values.ts';

/** The provider, its keys, prices and timeouts are those of the installation, because all projects share them. */
const AGENT = {
  reviewer: true,
  explorer: true,
  verifier: true,
  author: true,
  maxOutputTokens: true,
  compactAtTokens: true,
  maxExplorers: true,
  maxParts: true,
  maxCorrections: true,
  verifyMax: true,
} as const;

/** The budget of a day is shared by all projects. */
const BUDGETS = {
  runTokens: true,
  runUsd: true,
  changeRequestTokens: true,
  changeRequestUsd: true,
  projectTokens: true,
  projectUsd: true,
} as const;

type Tables = {
  readonly review: z.ZodType;
  readonly rounds: z.ZodType;
  readonly gate: z.ZodType;
  readonly limits: z.ZodType;
  readonly operators: z.ZodType;
};

/** @param tables the schemas of tables of which a project may set every key. */
export const projectSectionOf = <Given extends Tables>(tables: Given) =>
  z.strictObject({
    /** As in `[[forge]].projects`: `owner/name`, `group/*` or `*`. */
    match: z.array(ProjectPattern).min(1).max(100),
    /** The id of the only forge that the section is for. Null: every forge. */
    forge: z.string().min(1).max(32).nullable().default(null),
    review: overridesOf<Given['review']>(tables.review).optional(),
    rounds: overridesOf<Given['rounds']>(tables.rounds).optional(),
    gate: overridesOf<Given['gate']>(tables.gate).optional(),
    limits: overridesOf<Given['limits']>(tables.limits).optional(),
    operators: overridesOf<Given['operators']>(tables.operators).optional(),
    agent: overridesOf(z.strictObject(pick(Agent.shape, AGENT))).optional(),
    budgets: overridesOf(z.strictObject({ model: z.strictObject(pick(ModelBudgets.shape, BUDGETS)) })).optional(),
    author: overridesOf(Author).optional(),
    validation: overridesOf(ValidationSettings).optional(),
    analyzer: AnalyzerSettings.unwrap().optional(),
  });

const pick = <
  Shape extends Readonly<Record<string, z.ZodType>>,
  Names extends { readonly [Name in keyof Shape]?: true },
>(
  shape: Shape,
  names: Names,
): Pick<Shape, Extract<keyof Names, keyof Shape>> =>
  // The cast is safe because exactly the named entries are kept.
  Object.fromEntries(Object.entries(shape).filter(([name]) => Object.hasOwn(names, name))) as Pick<
    Shape,
    Extract<keyof Names, keyof Shape>
  >;
