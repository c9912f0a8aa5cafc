/** Mails that a simulated forge would send. Only who gets them and why matters: nothing leaves the process. */
export type Mail = {
  readonly repo: string;
  readonly number: number;
  /** Begins with `mail.`. */
  readonly kind: string;
  readonly by: string;
  /** Never the person who caused it. Watchers of the repository are left out: nobody watches a simulated one. */
  readonly to: readonly string[];
  readonly body: string;
};

type People = { readonly by: string; readonly parties: readonly (string | undefined)[] };

export const receiversOf = ({ by, parties }: People): readonly string[] => [
  ...new Set(parties.filter((login): login is string => login !== undefined && login !== by)),
];
