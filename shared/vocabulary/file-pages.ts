/** Derives the addresses of a file's pages on the forge from the address of a change request of the same project. */

export type FilePages = {
  readonly view: string;
  readonly edit: string;
  /**
   * The page on which a new file is created. People must type the file's name there, because addresses with a query are
   * not linked.
   */
  readonly create: string;
};

type Scheme = {
  /** The part of the address between the project and the number of its change request. */
  readonly between: string;
  readonly pages: (project: string, branch: string, path: string) => FilePages;
};

/**
 * GitLab: https://gitlab.com/gitlab-org/gitlab/-/blob/master/config/routes/repository.rb
 * Forgejo, Gitea: https://codeberg.org/forgejo/forgejo/src/branch/forgejo/routers/web/web.go
 */
const SCHEMES: readonly Scheme[] = [
  {
    between: '/-/merge_requests/',
    pages: (project, branch, path) => ({
      view: `${project}/-/blob/${branch}/${path}`,
      edit: `${project}/-/edit/${branch}/${path}`,
      create: `${project}/-/new/${branch}`,
    }),
  },
  {
    between: '/pulls/',
    pages: (project, branch, path) => ({
      view: `${project}/src/branch/${branch}/${path}`,
      edit: `${project}/_edit/${branch}/${path}`,
      create: `${project}/_new/${branch}`,
    }),
  },
];

const encode = (text: string): string => text.split('/').map(encodeURIComponent).join('/');

/** Returns null if the address has no known form. */
export const filePagesOf = (
  changeRequestUrl: string,
  { branch, path }: { readonly branch: string; readonly path: string },
): FilePages | null => {
  for (const { between, pages } of SCHEMES) {
    const at = changeRequestUrl.lastIndexOf(between);
    if (at > 0 && /^\d+$/.test(changeRequestUrl.slice(at + between.length)))
      return pages(changeRequestUrl.slice(0, at), encode(branch), encode(path));
  }
  return null;
};
