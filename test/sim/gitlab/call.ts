import type { z } from 'zod';
import type { Reply } from '../forgejo/reply.ts';
import { mayAct, mayRead, requireRead } from './access.ts';
import { badParameter, forbidden, notFound, unauthorized } from './errors.ts';
import { findMergeRequest, findProject } from './find.ts';
import type { AccessLevel, SimMergeRequest, SimProject, SimToken, SimUser, World } from './world.ts';

export type Call = {
  readonly world: World;
  readonly user: SimUser | null;
  readonly token: SimToken | null;
  readonly params: Readonly<Record<string, string>>;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Query and body merged, as Grape does. */
  readonly sent: Readonly<Record<string, unknown>>;
};

export type Route = {
  readonly method: string;
  /** `{name}` matches one segment, which may contain encoded slashes; `{*name}` matches the rest of the path. */
  readonly path: string;
  /** Path with the parameter names of the API description; null for routes outside the recorded part of it. */
  readonly described: string | null;
  /** Required scope of the token; `any` for requests about the token itself. Default: `api`. */
  readonly scope?: 'user' | 'any';
  readonly handle: (call: Call) => Reply | Promise<Reply>;
};

export const param = (call: Call, name: string): string => call.params[name] ?? '';

export const numberParam = (call: Call, name: string): number => {
  const value = Number(param(call, name));
  if (!Number.isSafeInteger(value)) throw badParameter(`${name} is invalid`);
  return value;
};

export const signedIn = (call: Call): SimUser => {
  if (call.user === null) throw unauthorized();
  return call.user;
};

export const projectOf = (call: Call): SimProject => {
  let project: SimProject;
  try {
    project = findProject(call.world, param(call, 'id'));
    requireRead(call.user, project);
  } catch (error) {
    // Without sign-in the answer is 401, otherwise 404 (lib/api/helpers.rb).
    if (call.user === null) throw unauthorized();
    throw error;
  }
  return project;
};

export const mergeRequestOf = (call: Call): SimMergeRequest => {
  const project = projectOf(call);
  if (!mayRead(call.user, project)) throw notFound('Merge Request');
  return findMergeRequest(project, numberParam(call, 'iid'));
};

export const projectAt = (call: Call, level: AccessLevel): SimProject => {
  const project = projectOf(call);
  signedIn(call);
  if (!mayAct(call.user, project, level)) throw forbidden();
  return project;
};

const complaint = (issue: z.core.$ZodIssue): string => {
  const [first = '', ...rest] = issue.path.map(String);
  const name = [first, ...rest.map((key) => `[${key}]`)].join('');
  if (issue.input === undefined) return `${name} is missing`;
  return issue.code === 'invalid_value' ? `${name} does not have a valid value` : `${name} is invalid`;
};

/** Grape reports invalid parameters as `{error}` with status 400. */
export const sentAs = <Schema extends z.ZodType>(call: Call, schema: Schema): z.output<Schema> => {
  const parsed = schema.safeParse(call.sent, { reportInput: true });
  if (!parsed.success) throw badParameter(parsed.error.issues.map(complaint).join(', '));
  return parsed.data;
};
