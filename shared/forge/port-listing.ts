import type { OpenChangeRequest, ProjectRef } from './port-facts.ts';

/** `page` counts from 1. `tag` is from this page's last response; null returns the page in any case. */
export type OpenPageAsk = { readonly page: number; readonly tag: string | null };

/**
 * `total`: number of open change requests; null when the forge does not count them. `tag`: opaque, equal for equal responses.
 * `unread`: number of entries that the forge lists but cannot show. They are open, are not in `open`, and cannot be merged.
 */
export type OpenPage = {
  readonly open: readonly OpenChangeRequest[];
  readonly last: boolean;
  readonly total: number | null;
  readonly tag: string;
  readonly unread?: number;
};

/** All projects that the account is a member of, or one group (organisation or user) with its subgroups. */
export type ProjectPlace = { readonly kind: 'member' } | { readonly kind: 'group'; readonly path: string };

export type ListedProject = ProjectRef & {
  /** Last activity as the forge reports it. Forges update it unreliably: use it to sort, not to decide. */
  readonly activeAtMs: number;
};

export type ProjectPage = { readonly projects: readonly ListedProject[]; readonly last: boolean };

export type HookOwner =
  | { readonly kind: 'project'; readonly project: ProjectRef }
  | { readonly kind: 'group'; readonly path: string };

export type Hook = {
  readonly url: string;
  /** `paused`: the forge tries again on its own at `untilMs`. `off`: a person has to enable the hook again. */
  readonly state: 'working' | 'paused' | 'off';
  readonly untilMs: number | null;
  /** The forge's names of the events that Fixpoint needs but this hook does not send. */
  readonly lacks: readonly string[];
  /** Why Fixpoint cannot accept any delivery of this hook. Null when no such problem is visible. */
  readonly unfit: string | null;
};

export interface ListsChangeRequests {
  /**
   * Most recently updated first. Null when unchanged since `tag`. Contract: one request if `path` is current; the id identifies
   * the project.
   */
  readOpenPage(project: ProjectRef, ask: OpenPageAsk, signal: AbortSignal): Promise<OpenPage | null>;
}

export interface ListsProjects {
  /**
   * Excludes archived projects. The order is not defined. Null when the group does not exist or is not visible. Contract: one
   * request; two for the projects of a GitLab user.
   */
  readProjectPage(place: ProjectPlace, page: number, signal: AbortSignal): Promise<ProjectPage | null>;
}

export interface ReadsHooks {
  /** Returns null when the account may not list hooks, which needs admin rights. Empty when the owner cannot have hooks. */
  fetchHooks(owner: HookOwner, signal: AbortSignal): Promise<readonly Hook[] | null>;
}
