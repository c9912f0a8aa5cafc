/**
 * Uses GraphQL, because REST cannot request changes before GitLab 19.2. The request is a record that blocks the merge.
 * The reviewer's state can change independently of this record (ee/app/models/ee/merge_request.rb,
 * app/services/draft_notes/create_service.rb), so the record is read. Without a licence GitLab accepts a request but
 * cannot withdraw it, so the bot makes none.
 * https://docs.gitlab.com/api/graphql/reference/#mutationmergerequestrequestchanges
 */
import { MergeRequests } from '@gitbeaker/rest';
import { z } from 'zod';
import type { VerdictRefusal } from '../../vocabulary/forge-verdict.ts';
import type { ChangeRequest } from '../../vocabulary/ids.ts';
import { hasForgeCode } from '../errors.ts';
import { apiPath } from '../path.ts';
import type { GitlabContext } from './api/context.ts';
import { ask } from './project/project.ts';
import { ApiReviewers } from './api/schema.ts';

const REQUEST = 'mergeRequestRequestChanges';
const TAKE_BACK = 'mergeRequestDestroyRequestedChanges';

const PATH = apiPath`/api/graphql`;

const Mutations = z.object({
  data: z.object({ __type: z.object({ fields: z.array(z.object({ name: z.string() })) }).nullish() }).nullish(),
});

const isWithheld = (error: unknown): boolean =>
  hasForgeCode(error, 'FORGE_NOT_FOUND', 'FORGE_FORBIDDEN', 'FORGE_REJECTED');

const knowsMutations = async ({ http }: GitlabContext, signal: AbortSignal): Promise<boolean> => {
  const query = { query: '{ __type(name: "Mutation") { fields { name } } }' };
  try {
    const { value } = await http.read({ path: PATH, query, schema: Mutations }, signal);
    const names = new Set((value.data?.__type?.fields ?? []).map(({ name }) => name));
    return names.has(REQUEST) && names.has(TAKE_BACK);
  } catch (error) {
    if (isWithheld(error)) return false;
    throw error;
  }
};

export type KnowsMutations = (signal: AbortSignal) => Promise<boolean>;

/** The mutations are read on first use, because most installations of Fixpoint never need them. */
export const rememberMutations = (context: GitlabContext): KnowsMutations => {
  let known: boolean | null = null;
  return async (signal) => {
    known ??= await knowsMutations(context, signal);
    return known;
  };
};

const RECORD = `query($projectPath: ID!, $iid: String!) { project(fullPath: $projectPath) { mergeRequest(iid: $iid) {
  mergeabilityChecks { identifier status } changeRequesters { nodes { id } } } } }`;

const Found = z.object({
  mergeabilityChecks: z.array(z.object({ identifier: z.string(), status: z.string() })),
  /** Null when the licence lacks the feature (ee/app/graphql/ee/types/merge_request_type.rb). */
  changeRequesters: z.object({ nodes: z.array(z.object({ id: z.string() }).nullable()) }).nullish(),
});

const Record = z.object({
  data: z.object({ project: z.object({ mergeRequest: Found.nullish() }).nullish() }).nullish(),
});

/** `offered`: the forge supports requests for changes here. `asked`: the bot's request for changes is recorded. */
export type RequestRecord = { readonly offered: boolean; readonly asked: boolean };

const NONE: RequestRecord = { offered: false, asked: false };

const variablesFor = async (context: GitlabContext, of: ChangeRequest, signal: AbortSignal) => {
  const { path_with_namespace: projectPath } = await ask(context.api, of.projectId, signal);
  return { projectPath, iid: String(of.number) };
};

/** A release without these fields sends `errors` and no data; the feature is then treated as not offered. */
export const readRequest = async (
  context: GitlabContext,
  of: ChangeRequest,
  knows: KnowsMutations,
  signal: AbortSignal,
): Promise<RequestRecord> => {
  if (!(await knows(signal))) return NONE;
  const variables = JSON.stringify(await variablesFor(context, of, signal));
  const { value } = await context.http.read(
    { path: PATH, query: { query: RECORD, variables }, schema: Record },
    signal,
  );
  const found = value.data?.project?.mergeRequest;
  const requesters = found?.changeRequesters?.nodes ?? null;
  const check = found?.mergeabilityChecks.find(({ identifier }) => identifier === 'REQUESTED_CHANGES');
  if (requesters === null || check === undefined || check.status === 'INACTIVE') return NONE;
  const { id } = await context.self(signal);
  return { offered: true, asked: requesters.some((user) => user?.id === `gid://gitlab/User/${id}`) };
};

const Outcome = z.object({
  data: z.record(z.string(), z.object({ errors: z.array(z.string()) }).nullish()).nullish(),
  errors: z.array(z.unknown()).nullish(),
});

/** Returns false when GitLab reports an error; the caller then reads the record to learn the outcome. */
const mutate = async (
  context: GitlabContext,
  of: ChangeRequest,
  name: typeof REQUEST | typeof TAKE_BACK,
  signal: AbortSignal,
): Promise<boolean> => {
  const body = {
    query: `mutation($projectPath: ID!, $iid: String!) { ${name}(input: { projectPath: $projectPath, iid: $iid }) { errors } }`,
    variables: await variablesFor(context, of, signal),
  };
  const { value } = await context.http.write({ method: 'POST', path: PATH, body, schema: Outcome }, signal);
  return value?.data?.[name]?.errors.length === 0 && (value.errors ?? []).length === 0;
};

/** Reads the merge request, because it lists all reviewers, whereas `GET .../reviewers` is paged. */
const isReviewer = async ({ api, self }: GitlabContext, of: ChangeRequest, signal: AbortSignal): Promise<boolean> => {
  const { id } = await self(signal);
  const { reviewers } = await api.read(ApiReviewers, signal, (options) =>
    new MergeRequests(options).show(of.projectId, of.number),
  );
  return (reviewers ?? []).some((reviewer) => reviewer.id === id);
};

/** GitLab refuses a request by an account that is not a reviewer but still records it, so no such request is sent. */
export const requestChanges = async (
  context: GitlabContext,
  of: ChangeRequest,
  knows: KnowsMutations,
  signal: AbortSignal,
): Promise<VerdictRefusal | null> => {
  if (!(await readRequest(context, of, knows, signal)).offered) return 'not_offered';
  if (!(await isReviewer(context, of, signal))) return 'not_a_reviewer';
  if (await mutate(context, of, REQUEST, signal)) return null;
  return (await readRequest(context, of, knows, signal)).asked ? null : 'forbidden';
};

/** GitLab reports an error when there is no request to withdraw, so the record is read to see whether a request remains. */
export const takeBackRequest = async (
  context: GitlabContext,
  of: ChangeRequest,
  knows: KnowsMutations,
  signal: AbortSignal,
): Promise<VerdictRefusal | null> => {
  if (!(await knows(signal)) || (await mutate(context, of, TAKE_BACK, signal))) return null;
  return (await readRequest(context, of, knows, signal)).asked ? 'forbidden' : null;
};
