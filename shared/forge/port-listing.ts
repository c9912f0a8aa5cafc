/** What is read of a forge page by page: open change requests, projects and webhooks. */
import type { OpenChangeRequest, ProjectRef } from './port-facts.ts';

/** `page` counts from 1. `tag`: of the last answer for this page, null for whatever is there. */
export type OpenPageAsk = { readonly page: number; readonly tag: string | null };

/** `total`: how many are open in all; null where the forge does not count. `tag`: opaque, equal for equal answers. */
export type OpenPage = {
  readonly open: readonly OpenChangeRequest[];
  readonly last: boolean;
  readonly total: number | null;
  readonly tag: string;
};

/** Everything that the account of the token is a member of, or one group (organisation, person) with those below it. */
export type ProjectPlace = { readonly kind: 'member' } | { readonly kind: 'group'; readonly path: string };

export type ListedProject = ProjectRef & {
  /** Of anything in the project, as the forge dates it; forges are lax about it: for an order, not for a decision. */
  readonly activeAtMs: number;
};

export type ProjectPage = { readonly projects: readonly ListedProject[]; readonly last: boolean };

export type HookOwner =
  | { readonly kind: 'project'; readonly project: ProjectRef }
  | { readonly kind: 'group'; readonly path: string };

export type Hook = {
  readonly url: string;
  /** `paused`: the forge tries again by itself at `untilMs`. `off`: only a person can switch it on. */
  readonly state: 'working' | 'paused' | 'off';
  readonly untilMs: number | null;
  /** In the forge's own words: the events that Fixpoint listens to and this hook does not send. */
  readonly lacks: readonly string[];
  /** Why none of its deliveries can be taken; null where nothing of the kind can be seen. */
  readonly unfit: string | null;
};

export interface ListsChangeRequests {
  /**
   * One page of the open ones, most recently updated first. Null when the page is still what it was when the forge gave
   * `tag`. Contract: one request; the path is a hint that may be old, the id decides.
   */
  readOpenPage(project: ProjectRef, ask: OpenPageAsk, signal: AbortSignal): Promise<OpenPage | null>;
}

export interface ListsProjects {
  /**
   * One page of projects that take change requests and are not archived, in any order. Null when there is no such
   * group, or the account may not see it. Contract: one request, two for a person's own projects on GitLab.
   */
  readProjectPage(place: ProjectPlace, page: number, signal: AbortSignal): Promise<ProjectPage | null>;
}

export interface ReadsHooks {
  /** Null when the account may not ask: it takes the rights of an admin. Empty where nothing of the kind can be. */
  fetchHooks(owner: HookOwner, signal: AbortSignal): Promise<readonly Hook[] | null>;
}
