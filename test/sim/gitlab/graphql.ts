/** GraphQL mutations without a REST endpoint (forges.md 3.6), and the queries used with them. */
import { z } from 'zod';
import { requestChanges, requestedChangesCheck, takeBackRequest } from './approvals.ts';
import { mayRead } from './access.ts';
import { type Call, sentAs, signedIn } from './call.ts';
import { GitlabRefusal } from './errors.ts';
import { findMergeRequest, findProject } from './find.ts';
import type { Json } from './represent.ts';
import type { SimMergeRequest, World } from './world.ts';

const Query = z.object({
  query: z.string(),
  /** JSON text in a GET request (GL app/controllers/graphql_controller.rb). */
  variables: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
});
const Input = z.object({ projectPath: z.string(), iid: z.coerce.string() });

const literal = (query: string, name: string): string | undefined =>
  new RegExp(`${name}\\s*:\\s*"([^"]*)"`).exec(query)?.[1];

const inputOf = (sent: z.output<typeof Query>): z.output<typeof Input> | null => {
  const given = typeof sent.variables === 'string' ? (JSON.parse(sent.variables) as unknown) : sent.variables;
  const variables = z.looseObject({ input: z.looseObject({}).optional() }).parse(given ?? {});
  const spelt = { projectPath: literal(sent.query, 'projectPath'), iid: literal(sent.query, 'iid') };
  const parsed = Input.safeParse({ ...spelt, ...variables, ...variables.input });
  return parsed.success ? parsed.data : null;
};

const failed = (message: string): Json => ({ errors: [{ message }] });

/** GraphQL answers 200 with this error for hidden objects (GL lib/gitlab/graphql/authorize/authorize_resource.rb). */
const GONE =
  "The resource that you are attempting to access does not exist or you don't have permission to perform this action";

const mergeRequestFor = (call: Call, input: z.output<typeof Input>): SimMergeRequest | null => {
  try {
    const project = findProject(call.world, input.projectPath);
    return mayRead(signedIn(call), project) ? findMergeRequest(project, Number(input.iid)) : null;
  } catch (error) {
    if (error instanceof GitlabRefusal) return null;
    throw error;
  }
};

/** The second is EE only, with or without a licence (GL ee/app/graphql/mutations/merge_requests/destroy_requested_changes.rb). */
const mutationsOf = ({ edition }: World): readonly string[] => [
  'mergeRequestRequestChanges',
  ...(edition === 'ee' ? ['mergeRequestDestroyRequestedChanges'] : []),
];

const REFUSED: Readonly<Record<Awaited<ReturnType<typeof requestChanges>>, readonly string[]>> = {
  requested: [],
  'no reviewer': ['Reviewer not found'],
  'not allowed': ['Invalid permissions'],
};

const errorsOf = async (call: Call, name: string, mr: SimMergeRequest): Promise<readonly string[]> => {
  const user = signedIn(call);
  if (name === 'mergeRequestDestroyRequestedChanges') return takeBackRequest(call.world, mr, user);
  return REFUSED[await requestChanges(call.world, mr, user)];
};

/** In CE, the unknown field fails the whole query (GL ee/app/graphql/ee/types/merge_request_type.rb). */
const recordOf = (call: Call, mr: SimMergeRequest | null): Json => {
  if (call.world.edition === 'ce') return failed("Field 'changeRequesters' doesn't exist on type 'MergeRequest'");
  if (mr === null) return { data: { project: null } };
  const checks = [{ identifier: 'REQUESTED_CHANGES', status: requestedChangesCheck(mr) }];
  const nodes = [...mr.requestedChanges].map(({ id }) => ({ id: `gid://gitlab/User/${id}` }));
  const found = { mergeabilityChecks: checks, changeRequesters: mr.project.premium ? { nodes } : null };
  return { data: { project: { mergeRequest: found } } };
};

/** Accepts arguments as variables, as `$input`, or inline. */
export const graphql = async (call: Call, method: 'GET' | 'POST'): Promise<Json> => {
  const sent = sentAs(call, Query);
  signedIn(call);
  const mutations = mutationsOf(call.world);
  if (sent.query.includes('__type(name: "Mutation")'))
    return { data: { __type: { fields: mutations.map((name) => ({ name })) } } };
  const input = inputOf(sent);
  if (input === null) return failed('Argument projectPath or iid is missing');
  const mr = mergeRequestFor(call, input);
  if (!sent.query.trimStart().startsWith('mutation')) return recordOf(call, mr);
  // GL app/controllers/graphql_controller.rb `disallow_mutations_for_get`.
  if (method === 'GET')
    throw new GitlabRefusal(422, { errors: [{ message: 'Mutations are forbidden in GET requests' }] });
  const asked = mutations.find((name) => sent.query.includes(name));
  if (asked === undefined) return failed('no such mutation is simulated');
  if (mr === null) return { ...failed(GONE), data: { [asked]: null } };
  return { data: { [asked]: { errors: await errorsOf(call, asked, mr) } } };
};
