import type { VerdictRefusal } from '../../rounds/forge-verdict.ts';
/**
 * A reviewer's request for changes: GraphQL only (REST has none before 19.2). It can be taken back only where the
 * installation knows the second mutation, and what could never be taken back is not asked for.
 * https://docs.gitlab.com/api/graphql/reference/#mutationmergerequestrequestchanges
 */
import { z } from 'zod';
import type { ChangeRequest } from '../../rounds/vocabulary.ts';
import { hasForgeCode } from '../errors.ts';
import { apiPath } from '../path.ts';
import type { GitlabContext } from './context.ts';
import { ask } from './project.ts';

const REQUEST = 'mergeRequestRequestChanges';
const TAKE_BACK = 'mergeRequestDestroyRequestedChanges';

const Mutations = z.object({
  data: z.object({ __type: z.object({ fields: z.array(z.object({ name: z.string() })) }).nullish() }).nullish(),
});

const isOffered = async ({ http }: GitlabContext, signal: AbortSignal): Promise<boolean> => {
  const body = { query: '{ __type(name: "Mutation") { fields { name } } }' };
  try {
    const { value } = await http.write(
      { method: 'POST', path: apiPath`/api/graphql`, body, schema: Mutations },
      signal,
    );
    const names = new Set((value?.data?.__type?.fields ?? []).map(({ name }) => name));
    return names.has(REQUEST) && names.has(TAKE_BACK);
  } catch (error) {
    // Switched off for this token, or not there.
    if (hasForgeCode(error, 'FORGE_NOT_FOUND', 'FORGE_FORBIDDEN', 'FORGE_REJECTED')) return false;
    throw error;
  }
};

export type Offer = (signal: AbortSignal) => Promise<boolean>;

/** Asked when it is first needed, since most installations of Fixpoint never do. */
export const rememberOffer = (context: GitlabContext): Offer => {
  let known: boolean | null = null;
  return async (signal) => {
    known ??= await isOffered(context, signal);
    return known;
  };
};

const Outcome = z.object({
  data: z.record(z.string(), z.object({ errors: z.array(z.string()) }).nullish()).nullish(),
  errors: z.array(z.unknown()).nullish(),
});

const mutate = async (
  context: GitlabContext,
  of: ChangeRequest,
  name: typeof REQUEST | typeof TAKE_BACK,
  signal: AbortSignal,
): Promise<VerdictRefusal | null> => {
  const { path_with_namespace: projectPath } = await ask(context.api, of.projectId, signal);
  const body = {
    query: `mutation($projectPath: ID!, $iid: String!) { ${name}(input: { projectPath: $projectPath, iid: $iid }) { errors } }`,
    variables: { projectPath, iid: String(of.number) },
  };
  const { value } = await context.http.write(
    { method: 'POST', path: apiPath`/api/graphql`, body, schema: Outcome },
    signal,
  );
  const errors = value?.data?.[name]?.errors;
  return errors?.length === 0 && (value?.errors ?? []).length === 0 ? null : 'forbidden';
};

export const requestChanges = (context: GitlabContext, of: ChangeRequest, signal: AbortSignal) =>
  mutate(context, of, REQUEST, signal);

export const takeBackRequest = (context: GitlabContext, of: ChangeRequest, signal: AbortSignal) =>
  mutate(context, of, TAKE_BACK, signal);
