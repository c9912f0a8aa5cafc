import { z } from 'zod';
import { requireAccess, type ScopeCategory } from './access.ts';
import { findPull, findRepo } from './find.ts';
import { notFound, type Reply, SimHttpError, unprocessable } from './reply.ts';
import type { AccessLevel, SimPull, SimRepo, SimToken, SimUser, World } from './world.ts';

export type Call = {
  readonly world: World;
  readonly user: SimUser | null;
  readonly token: SimToken | null;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
};

export type Route = {
  readonly method: string;
  /** As in the API description: `{name}` matches one segment, a final `{name...}` the rest of the path. */
  readonly path: string;
  /** Set when the API description uses other names. */
  readonly described?: string;
  readonly category: ScopeCategory;
  readonly handle: (call: Call) => Reply | Promise<Reply>;
};

export const describedPath = (route: Route): string => route.described ?? route.path.replaceAll('...}', '}');

export const param = (call: Call, name: string): string => call.params[name] ?? '';

export const numberParam = (call: Call, name: string): number => {
  const value = Number(param(call, name));
  if (!Number.isSafeInteger(value) || value < 0) throw notFound();
  return value;
};

export const signedIn = (call: Call): SimUser => {
  if (call.user === null) throw new SimHttpError(401, 'token is required');
  return call.user;
};

export const repoOf = (call: Call, level: AccessLevel = 'read'): SimRepo => {
  const repo = findRepo(call.world, `${param(call, 'owner')}/${param(call, 'repo')}`);
  requireAccess(call.user, repo, level);
  return repo;
};

export const pullOf = (call: Call): SimPull => findPull(repoOf(call), numberParam(call, 'index'));

/** Decodes a body like the forge's form binding, where a wrong type is a 422. */
export const bodyOf = <Schema extends z.ZodType>(call: Call, schema: Schema): z.output<Schema> => {
  const parsed = schema.safeParse(call.body ?? {});
  if (!parsed.success) throw unprocessable(z.prettifyError(parsed.error));
  return parsed.data;
};

/** A Go string or number: null and absent mean the zero value. */
export const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');
export const integer = z
  .number()
  .int()
  .nullish()
  .transform((value) => value ?? 0);
